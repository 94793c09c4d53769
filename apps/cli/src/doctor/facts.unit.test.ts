import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { gatherFacts } from '#/doctor/facts.ts'

test('examines the certificate of an address without a warning of Node, because an address is no server name', async () => {
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const warn = vi.spyOn(process, 'emitWarning')
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { certificate } = await gatherFacts({ url, key: 'k' })
  expect(certificate).toEqual({ reason: expect.any(String) as string })
  expect(warn).not.toHaveBeenCalled()
})
