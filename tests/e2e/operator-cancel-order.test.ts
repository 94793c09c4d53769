import { expect, test } from 'vitest'
import { anOrder, seedRestaurants, operator, readOrder, sendOrder, type Order, report } from './client.ts'

const cancel = (apiKey: string | number, body: object = { reason: 'Power failure' }) =>
  operator<Order & { code: string }>('POST', `orders/${apiKey}/cancel`, body)

test('an operator cancels a started order by its number, and the customer reads the message', async () => {
  const { body: order } = await sendOrder(await anOrder(seedRestaurants.console))
  await report(order.apiKey, 'PREPARING')
  const body = { reason: 'Power failure', message: 'The kitchen has no power.' }
  const cancelled = await cancel(order.id ?? '', body)
  const cancellation = { cancelledBy: 'operator', message: 'The kitchen has no power.' }
  expect(cancelled).toMatchObject({ status: 200, body: { apiKey: order.apiKey, cancellation } })
  expect(await readOrder(order.apiKey)).toMatchObject({
    status: 'PREPARING',
    paymentState: 'VOIDED',
    cancellation,
  })
  expect((await cancel(order.apiKey)).status).toBe(200)
})

test('409 for a delivered order, 404 for an unknown one, 400 without a reason', async () => {
  const { body: order } = await sendOrder(await anOrder(seedRestaurants.console))
  await report(order.apiKey, 'PREPARING')
  await report(order.apiKey, 'DELIVERED')
  expect(await cancel(order.apiKey)).toMatchObject({ status: 409, body: { code: 'invalid-transition' } })
  expect(await cancel('0'.repeat(48))).toMatchObject({ status: 404, body: { code: 'order-not-found' } })
  expect(await cancel(order.apiKey, {})).toMatchObject({ status: 400, body: { code: 'missing-field' } })
})
