import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { gatherFacts } from '#/doctor/facts.ts'

/** Starts a server at an address instead of a name. Returns its https URL. */
async function serverThat(serve: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => serve(socket.on('error', () => undefined))).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('examines the certificate of an address without a warning of Node, because an address is no server name', async () => {
  const url = await serverThat((socket) =>
    socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
  )
  const warn = vi.spyOn(process, 'emitWarning')
  const { certificate } = await gatherFacts({ url, key: 'k' })
  expect(certificate).toEqual({ reason: 'wrong version number' })
  expect(warn).not.toHaveBeenCalled()
})

test('without a response the certificate is unknown, because its renewal would not help', async () => {
  const url = await serverThat((socket) => socket.destroy())
  expect((await gatherFacts({ url, key: 'k' })).certificate).toBeNull()
})
