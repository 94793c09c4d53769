import type { CancellationOffer, RestaurantOrder } from '@platter/contracts'
import { expect, test } from 'vitest'
import {
  anOrder,
  card,
  seedRestaurants,
  eventually,
  ledgerOf,
  post,
  readOrder,
  sendOrder,
  type Order,
  asRestaurant,
  report,
} from './client.ts'
import { aKitchen } from './own-restaurant.ts'

const cancel = (apiKey: string, options = {}) =>
  post<Order & { code: string }>(`order/${apiKey}/cancel`, {}, options)

const paid = async (restaurant: string) =>
  (await sendOrder({ ...(await anOrder(restaurant)), payment: 'card', card: card() })).body

test('repeated cancellations of an unstarted card order void or refund it once', async () => {
  const { apiKey, total } = await paid(seedRestaurants.console)
  const offer = await post<CancellationOffer>(`order/${apiKey}/cancel?validate-only=true`, {})
  expect(offer).toMatchObject({ status: 200, body: { cancellable: true, refund: { amount: total } } })
  expect((await readOrder(apiKey)).cancellation).toBeNull()

  const headers = { 'idempotency-key': crypto.randomUUID() }
  const responses = [
    await cancel(apiKey, { headers }),
    await cancel(apiKey, { headers }),
    await cancel(apiKey),
  ]
  for (const { status, body } of responses)
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { cancellation: { cancelledBy: 'customer' } },
    })

  const reversed = await eventually(
    () => readOrder(apiKey),
    ({ paymentState }) => paymentState === 'REFUNDED' || paymentState === 'VOIDED',
  )
  expect(reversed.cancellation).toMatchObject({ reason: 'order-cancelled', refund: { amount: total } })
  const kinds = (await ledgerOf(apiKey)).map(({ kind }) => kind)
  expect(kinds.filter((kind) => kind === 'refund' || kind === 'void')).toHaveLength(1)
  const seen = await asRestaurant<RestaurantOrder>(`order/${apiKey}`)
  expect(seen.body).toMatchObject({ nextStatuses: [], cancellation: { cancelledBy: 'customer' } })
  expect((await report(apiKey, 'PREPARING')).status).toBe(409)
})

test('409 cancel-too-late after the start by the restaurant, and after customerCancelMinutes', async () => {
  const { body: started } = await sendOrder(await anOrder(seedRestaurants.console))
  await report(started.apiKey, 'PREPARING')
  expect(await cancel(started.apiKey)).toMatchObject({ status: 409, body: { code: 'cancel-too-late' } })
  const offer = await post<CancellationOffer>(`order/${started.apiKey}/cancel?validate-only=true`, {})
  expect(offer.body).toEqual({ cancellable: false, until: null, refund: { amount: 0 } })

  const { apiKey: never } = await aKitchen({ customerCancelMinutes: 0 })
  const { body: late } = await sendOrder(await anOrder(never))
  // The time of 0 minutes ends in the second of the order.
  const refused = await eventually(
    () => post<CancellationOffer>(`order/${late.apiKey}/cancel?validate-only=true`, {}),
    ({ body }) => !body.cancellable,
  )
  expect(refused.body.cancellable).toBe(false)
  expect(await cancel(late.apiKey)).toMatchObject({ status: 409, body: { code: 'cancel-too-late' } })
})
