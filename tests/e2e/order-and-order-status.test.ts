import { expect, test } from 'vitest'
import { anOrder, seedRestaurants, expectOk, get, readOrder, sendOrder, report } from './client.ts'

test('the response is the newest OrderStatus as one object, with the status of the order', async () => {
  const { apiKey } = expectOk(await sendOrder(await anOrder(seedRestaurants.console)))
  for (const status of ['AWAITING_PREPARATION', 'PREPARING', 'DELIVERED']) {
    if (status !== 'AWAITING_PREPARATION') expectOk(await report(apiKey, status))
    const newest = await get<object>(`order/${apiKey}/status`)
    expect(newest).toMatchObject({ status: 200, body: { orderApiKey: apiKey, status } })
    expect(newest.body).toEqual((await get<object[]>(`order/${apiKey}/statuses`)).body.at(-1))
    expect((await readOrder(apiKey)).status).toBe(status)
  }
})
