import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve } from '../../support/worker.ts'

/* The server of an HTTP exchange: reads a request and responds with 500 bytes of JSON. */

const json = JSON.stringify({ filler: 'x'.repeat(487) })
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': json.length }).end(json)
  })
})
const { promise, resolve } = Promise.withResolvers<void>()
server.listen(0, '127.0.0.1', resolve)
await promise

serve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, () => Promise.resolve())
