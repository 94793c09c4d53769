import { silentServer } from '@platter/testkit'
import { expect, onTestFinished, test } from 'vitest'
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
