import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { BoundedHttp } from '#/outside/bounded-http.ts'

test('a host name that does not resolve takes one lookup, whatever the number of calls', async () => {
  const ends: ((error: Error) => void)[] = []
  const http = new BoundedHttp(((_name: string, _options: object, end: (typeof ends)[number]) =>
    ends.push(end)) as never)
  onTestFinished(() => http.close())
  const call = { method: 'GET', headers: {}, body: null, signal: null }
  const calls = Array.from({ length: 20 }, () => http.send('http://processor.example', call))
  const ended = Promise.allSettled(calls)
  // The connections start in this turn of the event loop.
  await setImmediate()
  for (const end of ends) end(Object.assign(new Error('none'), { code: 'EAI_AGAIN' }))
  for (const one of await ended)
    expect(one).toMatchObject({ status: 'rejected', reason: { message: 'EAI_AGAIN' } })
  expect(ends).toHaveLength(1)
})
