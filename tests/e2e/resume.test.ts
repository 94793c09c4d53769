import { expect, test } from 'vitest'
import { sendOrder, becomes } from './client.ts'
import { setUpKitchen } from './kitchen.ts'

const { change, details, order } = setUpKitchen()

test('resume ends a pause: the details show an open restaurant, and it accepts orders', async () => {
  await change('pause', { minutes: 20 })
  expect(await becomes(async () => (await details()).open, 'false')).toBe('false')
  expect(await change('resume')).toMatchObject({ status: 200, body: { paused: false, pausedUntil: null } })
  expect(await becomes(async () => (await details()).open, 'true')).toBe('true')
  expect((await sendOrder(await order())).status).toBe(200)
})
