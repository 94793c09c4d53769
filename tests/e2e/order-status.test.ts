import { expect, test } from 'vitest'
import { anOrder, cast, get, sendOrder, type Order } from './client.ts'

test('the response is the newest OrderStatus as one object', async () => {
  const { body: order } = await sendOrder(await anOrder(cast.silent))
  const statuses = await get<object[]>(`order/${order.apiKey}/statuses`)
  const { status, body } = await get<object>(`order/${order.apiKey}/status`)
  expect(status).toBe(200)
  expect(body).toEqual(statuses.body.at(-1))
  expect(body).toMatchObject({ orderApiKey: order.apiKey })
})

test('the newest status equals the status of the order', async () => {
  const { body: sent } = await sendOrder(await anOrder(cast.aurora))
  await expect
    .poll(async () => (await get<{ status: string }>(`order/${sent.apiKey}/status`)).body.status)
    .toBe('DELIVERED')
  expect((await get<Order>(`order/${sent.apiKey}`)).body.status).toBe('DELIVERED')
})
