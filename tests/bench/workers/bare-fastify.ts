import Fastify from 'fastify'
import pg from 'pg'
import { serve } from '../../support/worker.ts'

/*
 * A bare Fastify: responses from memory, and the select of an order or of a user's orders with unchanged rows. Arguments: the
 * database, an access key, and the addresses whose responses to copy.
 */

const [database = '', key = '', ...addresses] = process.argv.slice(2)
const responses = await Promise.all(
  addresses.map(async (address) => {
    const response = await fetch(address, { headers: { 'x-access-token': key } })
    if (!response.ok) throw new Error(`${address}: ${response.status}`)
    return Buffer.from(await response.arrayBuffer())
  }),
)
const etag = '"bench"'
const pool = new pg.Pool({ connectionString: database, max: 10 })
const app = Fastify()

app.get<{ Params: { at: number } }>('/bytes/:at', (request, reply) => {
  if (request.headers['if-none-match'] === etag) return reply.code(304).header('etag', etag).send()
  const body = responses[request.params.at]
  if (!body) return reply.code(404).send()
  return reply.header('etag', etag).type('application/json; charset=utf-8').send(body)
})
app.get<{ Params: { key: string } }>('/order/:key', async (request) => {
  const { rows } = await pool.query({
    name: 'order',
    text: 'select * from orders.orders where api_key = $1',
    values: [request.params.key],
  })
  return rows[0] as object
})
app.get<{ Params: { key: string } }>('/orders/:key', async (request) => {
  const { rows } = await pool.query({
    name: 'orders',
    text: 'select * from orders.orders where recipient_api_key = $1 order by id desc limit 100',
    values: [request.params.key],
  })
  return rows as object[]
})

serve(await app.listen({ host: '127.0.0.1', port: 0 }), () => Promise.resolve())
