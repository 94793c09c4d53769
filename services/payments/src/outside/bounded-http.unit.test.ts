import { setImmediate } from 'node:timers/promises'
import { sharedLookup } from '@platter/kit'
import { silentServer } from '@platter/testkit'
import { expect, onTestFinished, test } from 'vitest'
import { BoundedHttp } from '#/outside/bounded-http.ts'

const call = { method: 'GET', headers: {}, body: null, signal: null }

test('a host name that does not resolve takes one lookup, whatever the number of calls', async () => {
  const ends: ((error: Error) => void)[] = []
  const resolve = (_name: string, _options: object, end: (typeof ends)[number]) => ends.push(end)
  const http = new BoundedHttp(sharedLookup(resolve as never))
  onTestFinished(() => http.close())
  const calls = Array.from({ length: 20 }, () => http.send('http://processor.example', call))
  const ended = Promise.allSettled(calls)
  // The connections start in this turn of the event loop.
  await setImmediate()
  for (const end of ends) end(Object.assign(new Error('none'), { code: 'EAI_AGAIN' }))
  for (const one of await ended)
    expect(one).toMatchObject({ status: 'rejected', reason: { message: 'EAI_AGAIN' } })
  expect(ends).toHaveLength(1)
})

test('calls do not wait for each other when the processor accepts connections and does not respond', async () => {
  const processor = await silentServer()
  onTestFinished(() => processor.close())
  const http = new BoundedHttp()
  onTestFinished(() => http.close())
  const calls = Array.from({ length: 5 }, () => http.send(`https://127.0.0.1:${processor.port}`, call))
  const ended = Promise.allSettled(calls)
  expect(await Promise.race([processor.connections(5), ...calls])).toBe(5)
  processor.close()
  await ended
})
