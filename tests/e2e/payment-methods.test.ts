import { PaymentMethods, type CreditCard, type Order } from '@platter/contracts'
import { expect, test } from 'vitest'
import { withClient } from '../../dev/servers/database.ts'
import { sendTo } from '../support/api.ts'
import {
  anOrder,
  card,
  cardNumbers,
  seedRestaurants,
  eventually,
  get,
  ledgerOf,
  post,
  readOrder,
  register,
  sagaEnded,
  sendOrder,
  type ProblemBody,
  type User,
  expectConforms,
} from './client.ts'
import { plant } from './planted.ts'
import { ownStack } from './stack.ts'

type Methods = { processor: string; rawCards: boolean; tokenUrl: string }

async function clientToken(cardNumber = cardNumbers.good): Promise<string> {
  ownStack()
  const { tokenUrl } = (await get<Methods>('payment-methods')).body
  const { cvv, expirationMonth, expirationYear } = card()
  const { headers, body } = await sendTo<{ token: string }>(tokenUrl, {
    headers: { origin: 'https://shop.example' },
    body: { cardNumber, cvv, expirationMonth, expirationYear },
  })
  expect(headers.get('access-control-allow-origin')).toBe('*')
  return body.token
}

const { cardholderName, cardholderStreetAddress, cardholderZip } = card()
const byToken = (processorToken: string) => ({
  cardholderName,
  cardholderStreetAddress,
  cardholderZip,
  processorToken,
})

test('200: the payment processor and the URL that issues card tokens', async () => {
  const { status, body } = await get<Methods>('payment-methods')
  expect(status).toBe(200)
  expectConforms(PaymentMethods, body)
})

test('an order by card token and its retry with one Idempotency-Key are one order and one charge', async () => {
  const order = {
    ...(await anOrder(seedRestaurants.aurora)),
    payment: 'card',
    card: byToken(await clientToken()),
  }
  const options = { headers: { 'idempotency-key': crypto.randomUUID() } }
  const first = await sendOrder(order, options)
  expect(first).toMatchObject({ status: 200, body: { card: { lastFour: '4242', brand: 'visa' } } })
  const { expirationMonth, expirationYear } = card()
  expect(first.body.card).toMatchObject({ expirationMonth, expirationYear, cardholderName })
  expect((await sendOrder(order, options)).body.apiKey).toBe(first.body.apiKey)
  await eventually(
    () => readOrder(first.body.apiKey),
    ({ paymentState }) => paymentState === 'CHARGED',
  )
  const total = Math.round(first.body.total * 100)
  expect(await ledgerOf(first.body.apiKey)).toMatchObject([
    { kind: 'authorize', amount: total },
    { kind: 'capture', amount: total },
  ])
})

test('two orders by tokens of the same card have the apiKey of the one saved card', async () => {
  const { apiKey } = await register()
  for (let count = 0; count < 2; count++) {
    const order = {
      ...(await anOrder(seedRestaurants.aurora)),
      payment: 'card',
      recipient: { apiKey },
      card: byToken(await clientToken()),
    }
    const { body } = await sendOrder(order)
    await sagaEnded(body.apiKey)
    const { creditCards } = (await get<User>(`user/${apiKey}`)).body
    expect(creditCards.map((saved) => saved.apiKey)).toEqual([body.card?.apiKey])
  }
})

test('an order with the token of a declined card is refused (402 card-declined)', async () => {
  const declined = byToken(await clientToken(cardNumbers.declined))
  const order = { ...(await anOrder(seedRestaurants.aurora)), payment: 'card', card: declined }
  expect(await sendOrder(order)).toMatchObject({ status: 402, body: { code: 'card-declined' } })
})

test('add-card by token returns the last four digits and the expiry; the card pays an order', async () => {
  const { apiKey } = await register()
  const added = await post<CreditCard>(`user/${apiKey}/add-card`, byToken(await clientToken()))
  const { expirationMonth, expirationYear } = card()
  expect(added).toMatchObject({
    status: 200,
    body: { lastFour: '4242', brand: 'visa', expirationMonth, expirationYear },
  })
  const order = {
    ...(await anOrder(seedRestaurants.aurora)),
    payment: 'card',
    recipient: { apiKey },
    card: { apiKey: added.body.apiKey },
  }
  expect(await sendOrder(order)).toMatchObject({ status: 200 })
})

test('validate-order and a test order do not use up a card token, and return a null card', async () => {
  const token = byToken(await clientToken())
  const order = { ...(await anOrder(seedRestaurants.aurora)), payment: 'card', card: token }
  expect(await post<Order>('validate-order', order)).toMatchObject({ status: 200, body: { card: null } })
  const testOrder = { ...(await anOrder(seedRestaurants.test)), payment: 'card', card: token, test: true }
  expect(await sendOrder(testOrder)).toMatchObject({ status: 200, body: { card: null } })
  expect(await sendOrder(order)).toMatchObject({ status: 200, body: { card: { lastFour: '4242' } } })
})

test('400: a card number beside a token, neither of them, and a card number as the token', async () => {
  const { apiKey } = await register()
  const faults = async (body: object) => {
    const response = await post<ProblemBody>(`user/${apiKey}/add-card`, body)
    expect(response.status).toBe(400)
    return response.body.errors.map(({ pointer }) => pointer)
  }
  expect(await faults({ ...card(), processorToken: 'tok_visa' })).toEqual(['/cardNumber', '/cvv'])
  const { processorToken: _, ...neither } = byToken('tok_visa')
  expect(new Set(await faults(neither))).toEqual(
    new Set(['/cardNumber', '/cvv', '/expirationMonth', '/expirationYear']),
  )
  expect(await faults(byToken(cardNumbers.good))).toEqual(['/processorToken'])
})

test('a card replaced by its bank pays with its new digits and expiry, even after a lost event', async () => {
  const { urls } = ownStack()
  const { apiKey: user } = await register()
  const { body: saved } = await post<CreditCard>(`user/${user}/add-card`, card())
  const { rows } = await withClient(urls.postgres, (client) =>
    client.query<{ token: string }>('select token from accounts.cards where api_key = $1', [saved.apiKey]),
  )
  const readCard = async () => (await get<User>(`user/${user}`)).body.creditCards[0]
  const pay = async () =>
    sendOrder({
      ...(await anOrder(seedRestaurants.aurora)),
      payment: 'card',
      recipient: { apiKey: user },
      card: { apiKey: saved.apiKey },
    })
  const plantOldCard = () =>
    plant(
      `update accounts.cards set last_four = '4242', expiration_year = '20' where api_key = $1`,
      saved.apiKey,
    )

  await plantOldCard()
  expect(await pay(), 'not replaced').toMatchObject({ status: 402, body: { code: 'card-expired' } })

  const replacement = { brand: 'visa', lastFour: '1881', expirationMonth: '01', expirationYear: '45' }
  const replaced = await sendTo(`${urls.processor}/dashboard/cards/replace`, {
    body: { token: rows[0]?.token, ...replacement },
  })
  expect(replaced.status).toBe(200)
  expect(await eventually(readCard, (one) => one?.lastFour === '1881')).toMatchObject(replacement)
  expect(await pay()).toMatchObject({ status: 200, body: { card: replacement } })

  // The state after a lost event.
  await plantOldCard()
  expect(await pay()).toMatchObject({ status: 200, body: { card: replacement } })
  expect(await readCard()).toMatchObject(replacement)
})
