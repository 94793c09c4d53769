import type { RestaurantOrder } from '@platter/contracts'
import { expect, test } from 'vitest'
import { anOrder, seedRestaurants, sendOrder, asRestaurant, report } from './client.ts'
import { keyOf } from './stack.ts'

const read = async (apiKey: string) => (await asRestaurant<RestaurantOrder>(`order/${apiKey}`)).body

test('acceptBy of a console order is 15 minutes after its arrival there, until its start or refusal', async () => {
  const { body: started } = await sendOrder(await anOrder(seedRestaurants.console))
  const { body: refused } = await sendOrder(await anOrder(seedRestaurants.console))
  for (const { apiKey, datePlaced } of [started, refused]) {
    const { acceptBy = 0 } = await read(apiKey)
    expect(acceptBy).toBeGreaterThanOrEqual((datePlaced ?? 0) + 900)
    expect(acceptBy).toBeLessThanOrEqual(Date.now() / 1_000 + 900)
  }
  const { body: open } = await asRestaurant<RestaurantOrder[]>('orders?open=true')
  expect(open.find(({ apiKey }) => apiKey === started.apiKey)).toHaveProperty('acceptBy')
  expect((await report(started.apiKey, 'PREPARING')).body).not.toHaveProperty('acceptBy')
  await asRestaurant(`order/${refused.apiKey}/refuse`, { reason: 'out of paneer' })
  expect(await read(refused.apiKey)).not.toHaveProperty('acceptBy')
})

test('an order of a restaurant without a console has no acceptBy', async () => {
  const { body: order } = await sendOrder(await anOrder(seedRestaurants.aurora))
  const { body } = await asRestaurant<RestaurantOrder>(
    `order/${order.apiKey}`,
    undefined,
    keyOf(seedRestaurants.aurora),
  )
  expect(body).toMatchObject({ apiKey: order.apiKey })
  expect(body).not.toHaveProperty('acceptBy')
})
