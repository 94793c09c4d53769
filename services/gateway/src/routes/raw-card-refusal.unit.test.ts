import { AddCard } from '@platter/contracts'
import { createApp, readBytes, Replicas, type Log } from '@platter/kit'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addPublicRoutes } from '#/testing/public-routes.ts'

let logged = ''
const sink = { write: (line: string) => void (logged += line) }
// Without pid, host name and time, which may contain the digits of a card.
const log: Log = pino({ level: 'trace', base: null, timestamp: false }, sink)
const received: string[] = []
const owner = createApp(log)
readBytes(owner)
owner.all('/*', async ({ body }) => {
  received.push(String(body))
  return {}
})
const gateway = createApp(log)
let replicas: Replicas

beforeAll(async () => {
  await owner.listen({ host: '127.0.0.1', port: 0 })
  replicas = new Replicas([owner.listeningOrigin])
  readBytes(gateway)
  addPublicRoutes(gateway, { operations: [AddCard], owners: { accounts: replicas }, refusesRawCards: true })
  // The line of the start contains a port, in which the digits may occur by chance.
  logged = ''
})
afterAll(() => Promise.all([gateway.close(), owner.close(), replicas.close()]))

const send = (payload: string) =>
  gateway.inject({
    method: 'POST',
    url: AddCard.path.replace(':apiKey', 'u1'),
    headers: { 'x-access-token': 'key', 'x-request-id': 'request-1', 'content-type': 'application/json' },
    payload,
  })

test('422 raw-card-not-accepted: card number, cvv and name reach no service, response or log line', async () => {
  for (const number of ['"4242424242424242"', '4242424242424242', String.raw`"\u0034242 4242-4242 4242"`]) {
    const payload = `{"cardNumber":${number},"cvv":"the cvv","cardholderName":"Maria"}`
    const { statusCode, body } = await send(payload)
    expect([statusCode, (JSON.parse(body) as { code: string }).code]).toEqual([422, 'raw-card-not-accepted'])
    expect(body).not.toMatch(/4242|the cvv|Maria/)
  }
  await expect.poll(() => logged.match(/"status":422/g)).toHaveLength(3)
  expect(logged).not.toMatch(/4242|the cvv|Maria/)
  expect(received).toEqual([])
})

test('a token of the payment processor is forwarded', async () => {
  expect((await send('{"processorToken":"tok_visa"}')).statusCode).toBe(200)
  expect(received).toEqual(['{"processorToken":"tok_visa"}'])
})
