import { silentServer } from '@platter/testkit'
import { expect, onTestFinished, test, vi } from 'vitest'
import { Deadline } from '#/http/deadline.ts'
import { Replicas } from '#/http/upstream.ts'

test('requests do not wait for each other when a replica accepts connections and does not respond', async () => {
  const silent = await silentServer()
  onTestFinished(() => silent.close())
  const replicas = new Replicas([`https://127.0.0.1:${silent.port}`])
  onTestFinished(() => replicas.close())
  const target = { method: 'POST', route: '/orders', deadline: Deadline.in(10_000) } as const
  const requests = Array.from({ length: 5 }, () =>
    replicas.send(target, ({ pool }) => pool.request({ method: 'POST', path: '/orders' })),
  )
  const ended = Promise.allSettled(requests)
  expect(await Promise.race([silent.connections(5), ...requests])).toBe(5)
  silent.close()
  await ended
})

/** The attempts of a request to a single URL whose first connection fails with this code. */
async function attemptsOf(method: string, code: string): Promise<number> {
  const replicas = new Replicas(['http://catalog.invalid:8080'])
  onTestFinished(() => replicas.close())
  let attempts = 0
  const target = { method, route: '/orders', deadline: Deadline.in(10_000) }
  const sent = replicas.send(target, async () => {
    attempts += 1
    if (attempts === 1) throw Object.assign(new Error(code), { code })
  })
  await Promise.allSettled([sent])
  return attempts
}

test('a Service of Kubernetes has one URL: a request that one replica has not received goes to the next one', async () => {
  expect(await attemptsOf('GET', 'UND_ERR_CONNECT_TIMEOUT')).toBe(2)
  expect(await attemptsOf('GET', 'ECONNRESET')).toBe(2)
  expect(await attemptsOf('POST', 'ECONNREFUSED')).toBe(2)
  expect(await attemptsOf('POST', 'ECONNRESET'), 'a replica may have received it').toBe(1)
})

test('a GET is not sent a second time when its timer fires a fraction of a millisecond before the deadline', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const replicas = new Replicas(['http://catalog.invalid:8080'])
  onTestFinished(() => replicas.close())
  let attempts = 0
  const sent = replicas.send({ method: 'GET', route: '/menu', deadline: Deadline.in(1_000.7) }, async () => {
    attempts += 1
    vi.advanceTimersByTime(1_000)
    throw new Error('no response by the deadline')
  })
  await expect(sent).rejects.toThrow('no response by the deadline')
  expect(attempts).toBe(1)
})
