import { startHttpServer } from '@platter/testkit/http-server'
import { serve } from '../../support/worker.ts'

/* The server of an HTTP exchange: reads a request and responds with 500 bytes of JSON. */

const json = JSON.stringify({ filler: 'x'.repeat(487) })
const { url } = await startHttpServer((request, response) => {
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': json.length }).end(json)
  })
})

serve(url, () => Promise.resolve())
