import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { Applications } from '@platter/contracts'
import { expect, onTestFinished, test } from 'vitest'
import { apiOf } from '#/api.ts'
import { EXIT } from '#/exit.ts'

test('a connection that ends within the body of a response is an unreachable platform', async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-length': '100' })
    response.write('[', () => response.destroy())
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await expect(apiOf({ url, key: 'k' }).call(Applications)).rejects.toMatchObject({
    code: EXIT.unreachable,
    message: expect.stringContaining(`${url} cannot be reached: `) as string,
  })
})
