import { expect, test } from 'vitest'
import { anOrder, card, cast, get, home, maria, plainItems, type Restaurant } from './client.ts'
import { aRestaurant, everyDay, menuItem, seedOf } from './own-restaurant.ts'
import { only, refusal, validate } from './refusals.ts'

// Zones ----------------------------------------------------------------------------------------------------

const deliveryTo = async (restaurantApiKey: string, address: object) => {
  const [item] = await plainItems(restaurantApiKey)
  const items = Array.from({ length: 6 }, () => ({ apiKey: item!.apiKey }))
  return anOrder(restaurantApiKey, { method: 'delivery', payment: 'card', card: card(), address, items })
}
const zip = (code: string) => ({ ...home, zip: code })

test.each([
  ['inside the radius is accepted', 'aurora-slice-house', zip('53703'), 200],
  ['outside the radius gets 422', 'aurora-slice-house', { ...home, city: 'Sun Prairie', zip: '53590' }, 422],
  ['on the ZIP list is accepted', 'capitol-lights-diner', zip('53714'), 200],
  ['on the ZIP list as ZIP+4 is accepted', 'capitol-lights-diner', zip('53714-2201'), 200],
  ['not on the ZIP list gets 422', 'capitol-lights-diner', { ...home, city: 'Middleton', zip: '53562' }, 422],
  ['inside the polygon is accepted', 'wingspan-kitchen', zip('53703'), 200],
  ['on the campus, a hole of the polygon, gets 422', 'wingspan-kitchen', zip('53706'), 422],
  ['in University Heights, the same hole, gets 422', 'wingspan-kitchen', zip('53726'), 422],
  ['outside the polygon gets 422', 'wingspan-kitchen', { ...home, city: 'Sun Prairie', zip: '53590' }, 422],
])('an address %s', async (_, seed, address, status) => {
  const { restaurant } = await seedOf(seed)
  expect(await refusal(await deliveryTo(restaurant.apiKey, address))).toEqual(
    status === 200 ? { status, faults: [] } : only(status, 'address-undeliverable /address'),
  )
})

test('the response has the coordinates of the address', async () => {
  const { body } = await validate(await deliveryTo(cast.aurora, zip('53703')))
  expect(body.address?.latitude).toBeCloseTo(43.07, 1)
  expect(body.address?.longitude).toBeCloseTo(-89.38, 1)
})

// Hours ----------------------------------------------------------------------------------------------------

/** Returns a time zone in which it is between midnight and one o'clock, with its weekday and the day before. */
function shortlyAfterMidnight() {
  const hour = new Date().getUTCHours()
  const timezone = hour === 0 ? 'Etc/UTC' : hour <= 12 ? `Etc/GMT+${hour}` : `Etc/GMT-${24 - hour}`
  const dayAt = (time: number) =>
    new Intl.DateTimeFormat('en-US', { weekday: 'long', timeZone: timezone }).format(time)
  return { timezone, today: dayAt(Date.now()), yesterday: dayAt(Date.now() - 24 * 3_600_000) }
}

const OPEN = { details: true, order: 'accepted' }
const CLOSED = { details: false, order: 'restaurant-closed /restaurantApiKey' }

/** Returns the opening state of a restaurant with these hours, from its details and from an order. */
async function openingState(hours: Record<string, string[]>, timezone: string) {
  const item = menuItem(5)
  const restaurantApiKey = await aRestaurant({ hours, timezone }, [item])
  const items = [{ apiKey: item.apiKey }]
  const { body: details } = await get<Restaurant>(`restaurant/${restaurantApiKey}`)
  const { faults } = await refusal({
    restaurantApiKey,
    items,
    method: 'pickup',
    payment: 'cash',
    recipient: maria,
  })
  return { details: details.open, order: faults[0] ?? 'accepted' }
}

test('a range past midnight belongs to the day on which it begins', async () => {
  const { timezone, today, yesterday } = shortlyAfterMidnight()
  expect(await openingState({ [yesterday]: ['9:00 PM - 2:00 AM'] }, timezone)).toEqual(OPEN)
  expect(await openingState({ [today]: ['9:00 PM - 2:00 AM'] }, timezone)).toEqual(CLOSED)
  expect(await openingState({ [yesterday]: ['9:00 PM - 12:00 AM'] }, timezone)).toEqual(CLOSED)
  expect(await openingState({ [today]: ['12:00 AM - 2:00 AM'] }, timezone)).toEqual(OPEN)
})

test('a restaurant is open in any of its ranges, and a range with equal ends lasts 24 hours', async () => {
  const { timezone, today, yesterday } = shortlyAfterMidnight()
  const lunch = '11:00 AM - 2:00 PM'
  expect(await openingState({ [today]: [lunch, '12:00 AM - 2:00 AM'] }, timezone)).toEqual(OPEN)
  expect(await openingState({ [today]: [lunch, '5:00 PM - 9:00 PM'] }, timezone)).toEqual(CLOSED)
  expect(await openingState({ [yesterday]: ['6:00 AM - 6:00 AM'] }, timezone)).toEqual(OPEN)
})

test('opening hours use the time zone of the restaurant', async () => {
  const { timezone } = shortlyAfterMidnight()
  const night = everyDay('10:00 PM - 3:00 AM')
  const noon = timezone.includes('GMT+') ? timezone.replace('+', '-') : timezone.replace('-', '+')
  expect(await openingState(night, timezone)).toEqual(OPEN)
  const hourThere = new Intl.DateTimeFormat('en-US', { hour: 'numeric', hourCycle: 'h23', timeZone: noon })
  const hour = Number(hourThere.format(Date.now()))
  expect(await openingState(night, noon)).toEqual(hour >= 22 || hour < 3 ? OPEN : CLOSED)
})

test('a restaurant without hours is closed', async () => {
  expect(await openingState({}, 'US/Central')).toEqual(CLOSED)
  expect(await openingState(everyDay(), 'US/Central')).toEqual(CLOSED)
})
