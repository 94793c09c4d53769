import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { Deadline } from '#/http/deadline.ts'
import { Replicas } from '#/http/upstream.ts'

test('requests do not wait for each other when a replica accepts connections and does not respond', async () => {
  const silent = createServer()
  onTestFinished(() => void silent.close())
  const sockets: Socket[] = []
  const allConnected = Promise.withResolvers<string>()
  silent.on('connection', (socket) => {
    if (sockets.push(socket) === 5) allConnected.resolve('all have connected')
  })
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const replicas = new Replicas([`https://127.0.0.1:${(silent.address() as AddressInfo).port}`])
  onTestFinished(() => replicas.close())
  const target = { method: 'POST', route: '/orders', deadline: Deadline.in(10_000) } as const
  const requests = Array.from({ length: 5 }, () =>
    replicas.send(target, ({ pool }) => pool.request({ method: 'POST', path: '/orders' })),
  )
  const ended = Promise.allSettled(requests)
  expect(await Promise.race([allConnected.promise, ...requests])).toBe('all have connected')
  for (const socket of sockets) socket.destroy()
  await ended
})
