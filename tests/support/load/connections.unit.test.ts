import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { until } from '../../../dev/process/wait.ts'
import { Connections } from './connections.ts'

const COUNT = 4

test('connections that end without a response are replaced after 250 ms', async () => {
  let accepted = 0
  const server = createServer((socket) => {
    accepted += 1
    socket.destroy()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const began = performance.now()
  const connections = new Connections([`http://127.0.0.1:${(server.address() as AddressInfo).port}`], COUNT)
  try {
    await until(() => accepted > COUNT, { what: 'Replacing connections', withinMs: 10_000 })
    expect(performance.now() - began).toBeGreaterThan(240)
  } finally {
    connections.close()
    server.close()
  }
})
