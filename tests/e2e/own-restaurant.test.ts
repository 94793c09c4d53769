import { OwnRestaurant, type Restaurant } from '@platter/contracts'
import { expect, test } from 'vitest'
import { becomes, expectConforms } from './client.ts'
import { setUpKitchen } from './kitchen.ts'

const { change, details, own } = setUpKitchen()

test('200: the public record with pausedUntil, which is null after resume', async () => {
  const { body } = await change<{ pausedUntil: number }>('pause', { minutes: 20 })
  expect(await becomes(async () => (await details()).open, 'false')).toBe('false')
  const restaurant = await own<Restaurant>('restaurant')
  expectConforms(OwnRestaurant, restaurant)
  const { restaurant: record } = await details()
  expect(restaurant).toEqual({ ...record, paused: true, pausedUntil: body.pausedUntil })
  await change('resume')
  expect(await becomes(async () => (await details()).open, 'true')).toBe('true')
  expect(await own('restaurant')).toMatchObject({ paused: false, pausedUntil: null, open: true })
})
