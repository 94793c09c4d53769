import type { PaymentAction } from '@platter/contracts'
import { expect, test } from 'vitest'
import { sendTo } from '../support/api.ts'
import { setProcessorFaults } from '../support/faults.ts'
import {
  anOrder,
  card,
  cardNumbers,
  seedRestaurants,
  eventually,
  ledgerOf,
  operator,
  post,
  readOrder,
  register,
  sendOrder,
  type CreditCard,
  type Order,
  asRestaurant,
} from './client.ts'
import { aKitchen, putRestaurant, restaurantInput } from './own-restaurant.ts'
import { plant } from './planted.ts'
import { isOtherPlatform, ownStack } from './stack.ts'

/* The bank requires a challenge of the customer (3-D Secure). */

type Challenged = Omit<Order, 'apiKey'> & { apiKey: string; paymentAction?: PaymentAction }
const ALWAYS = cardNumbers.challenged

const postOrder = (body: object, options = {}) => post<Challenged>('send-order', body, options)
const bodyOf = async (restaurant: string = seedRestaurants.aurora) => ({
  ...(await anOrder(restaurant)),
  payment: 'card',
  card: { ...card(), cardNumber: ALWAYS },
  canAuthenticate: true,
  returnUrl: 'shop.example://paid',
})
async function placeChallenged(restaurant?: string, changes = {}): Promise<{ apiKey: string; url: string }> {
  const { status, body } = await postOrder({ ...(await bodyOf(restaurant)), ...changes })
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { status: 'PROCESSING', paymentState: 'PENDING', paymentAction: { type: 'redirect' } },
  })
  return { apiKey: body.apiKey, url: body.paymentAction!.url }
}
const submitOutcome = (url: string, outcome: 'yes' | 'no') => sendTo(url, { body: { outcome } })
const kindsOf = async (apiKey: string) =>
  (await ledgerOf(apiKey)).map(({ kind, outcome }) => `${kind} ${outcome}`)
const waitForCancellation = (apiKey: string) =>
  eventually(
    () => readOrder(apiKey),
    ({ cancellation, paymentState }) => cancellation !== null && paymentState === 'VOIDED',
  )

/** Returns the mismatches in the records of an order that has ended. */
const mismatchesOf = async (apiKey: string) => {
  const { body } = await operator<{ mismatches: { orderApiKey: string }[] }>(
    'GET',
    `reconciliation?since=${Math.floor(Date.now() / 1_000) - 600}`,
  )
  return body.mismatches.filter(({ orderApiKey }) => orderApiKey === apiKey)
}

test('an approved challenge transmits and captures the order, without a return of the browser', async () => {
  const { apiKey, url } = await placeChallenged()
  expect(await kindsOf(apiKey)).toEqual(['authenticate open'])
  expect(await (await fetch(url)).text()).toMatch(/Do you confirm the payment of [\d.]+ to Aurora Sli\?/)
  // Without a poll, only the event of the processor continues the order.
  if (!isOtherPlatform())
    await plant(
      `update orders.sagas set wake_at = now() + interval '1 hour' where order_api_key = $1`,
      apiKey,
    )
  expect((await submitOutcome(url, 'yes')).status).toBe(200)
  const order = await eventually(
    () => readOrder(apiKey),
    ({ status }) => status !== 'PROCESSING',
  )
  expect(order).not.toHaveProperty('paymentAction')
  expect(
    await eventually(
      () => kindsOf(apiKey),
      (kinds) => kinds.includes('capture approved'),
    ),
  ).toEqual(['authenticate open', 'authenticate approved', 'authorize approved', 'capture approved'])
})

test('a declined challenge cancels the order, and no amount is authorized', async () => {
  const { apiKey, url } = await placeChallenged()
  await submitOutcome(url, 'no')
  const { cancellation } = await waitForCancellation(apiKey)
  expect(cancellation).toMatchObject({ reason: 'card-declined', cancelledBy: 'system' })
  expect(await kindsOf(apiKey)).toEqual(['authenticate open', 'authenticate declined:authentication_failed'])
  expect(await mismatchesOf(apiKey)).toEqual([])
})

test('50 requests with one key during a challenge result in one order and one authorization', async () => {
  const body = await bodyOf()
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const { body: first } = await postOrder(body, { headers })
  // On a busy machine, the platform may not have a permit for all of them at once. A client repeats a rejected request.
  const sendUntilAdmitted = () =>
    eventually(
      () => postOrder(body, { headers }),
      ({ status }) => status !== 503,
    )
  const responses = await Promise.all(Array.from({ length: 50 }, sendUntilAdmitted))
  expect(new Set(responses.map(({ status }) => status)).difference(new Set([200, 409]))).toEqual(new Set())
  const orders = responses.filter(({ status }) => status === 200).map(({ body: repeated }) => repeated.apiKey)
  expect(new Set(orders)).toEqual(new Set([first.apiKey]))
  await submitOutcome(first.paymentAction!.url, 'yes')
  await eventually(
    () => readOrder(first.apiKey),
    ({ status }) => status !== 'PROCESSING',
  )
  const authorized = (await kindsOf(first.apiKey)).filter((kind) => kind.startsWith('authorize'))
  expect(authorized).toHaveLength(1)
})

test('a pause during a challenge cancels the order (restaurant-closed) and voids the payment', async () => {
  const { apiKey: restaurant, key } = await aKitchen()
  const { apiKey, url } = await placeChallenged(restaurant)
  expect((await asRestaurant('pause', { minutes: 60 }, key)).status).toBe(200)
  await submitOutcome(url, 'yes')
  const { cancellation } = await waitForCancellation(apiKey)
  expect(cancellation).toMatchObject({ reason: 'restaurant-closed', cancelledBy: 'system' })
  expect((await kindsOf(apiKey)).at(-1)).toBe('void approved')
})

test('an approval after a cancellation by the customer gets 409 and authorizes no amount', async () => {
  const { apiKey, url } = await placeChallenged()
  expect((await post(`order/${apiKey}/cancel`, {})).status).toBe(200)
  await waitForCancellation(apiKey)
  expect((await submitOutcome(url, 'yes')).status).toBe(409)
  expect((await kindsOf(apiKey)).some((kind) => kind.startsWith('authorize'))).toBe(false)
})

test('402 card-declined, which names the required confirmation, for a challenged card without canAuthenticate and returnUrl', async () => {
  const { canAuthenticate: _, returnUrl: __, ...body } = await bodyOf()
  expect(await sendOrder(body)).toMatchObject({
    status: 402,
    body: {
      code: 'card-declined',
      declineCode: 'authentication_required',
      detail: expect.stringContaining('requires a confirmation') as string,
    },
  })
})

/* These tests wait for a poll or for a sweeper. */

test
  .skipIf(isOtherPlatform())
  .concurrent('an approved challenge whose event is lost transmits the order within 30 s', async () => {
    const { apiKey, url } = await placeChallenged()
    // The processor repeats an event, but a lost request counts as delivered.
    await setProcessorFaults(ownStack(), [
      { fault: 'drop-request', on: ['event'], reference: apiKey, probability: 1 },
    ])
    const from = performance.now()
    await submitOutcome(url, 'yes')
    const order = await eventually(
      () => readOrder(apiKey),
      ({ status }) => status !== 'PROCESSING',
      60_000,
    )
    // Its restaurant may have begun to prepare it.
    expect(order.cancellation).toBeNull()
    expect(performance.now() - from).toBeLessThan(30_000)
  })

test
  .skipIf(isOtherPlatform())
  .concurrent(
    'an unanswered challenge cancels the order at its deadline, and reconciliation finds no mismatch',
    async () => {
      const { apiKey, url } = await placeChallenged()
      await plant(
        'update orders.sagas set deadline_at = now(), wake_at = now() where order_api_key = $1',
        apiKey,
      )
      const { cancellation } = await waitForCancellation(apiKey)
      expect(cancellation).toMatchObject({ reason: 'card-declined', cancelledBy: 'system' })
      expect(cancellation?.message).toContain('not confirmed at the bank in time')
      expect((await submitOutcome(url, 'yes')).status, 'a late approval').toBe(409)
      expect(await kindsOf(apiKey)).toEqual(['authenticate open', 'authenticate declined:cancelled'])
      expect(await mismatchesOf(apiKey)).toEqual([])
    },
  )

test.concurrent('the end of opening hours during a challenge cancels the order, with a void', async () => {
  const { apiKey: restaurant } = await aKitchen()
  const { apiKey, url } = await placeChallenged(restaurant)
  expect((await putRestaurant(restaurant, { ...restaurantInput, hours: {} })).status).toBe(200)
  await submitOutcome(url, 'yes')
  const { cancellation } = await waitForCancellation(apiKey)
  expect(cancellation).toMatchObject({ reason: 'restaurant-closed', cancelledBy: 'system' })
  expect(cancellation?.message).toContain('is closed at the moment')
  const kinds = await kindsOf(apiKey)
  expect(kinds.at(-1)).toBe('void approved')
  expect(kinds).not.toContain('capture approved')
  expect(await mismatchesOf(apiKey)).toEqual([])
})

test.concurrent('a saved card requires a challenge for each order, and is charged after it', async () => {
  const { apiKey: user } = await register()
  const { body: saved } = await post<CreditCard>(`user/${user}/add-card`, card(ALWAYS))
  for (let order = 0; order < 2; order++) {
    const { apiKey, url } = await placeChallenged(seedRestaurants.aurora, {
      recipient: { apiKey: user },
      card: { apiKey: saved.apiKey },
    })
    await submitOutcome(url, 'yes')
    const { paymentState } = await eventually(
      () => readOrder(apiKey),
      (read) => read.paymentState === 'CHARGED',
    )
    expect(paymentState).toBe('CHARGED')
  }
})
