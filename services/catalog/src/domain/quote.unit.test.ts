import { cents, type Fault } from '@platter/contracts'
import { describe, expect, test } from 'vitest'
import { aZone, ajanta, korma, vindaloo } from '#/testing/ajanta.ts'
import { UNTIL_RESUMED } from '#/domain/hours.ts'
import type { Item } from '#/domain/menu.ts'
import { quote, type QuoteRequest, type Destination, type QuoteFacts } from '#/domain/quote.ts'
import type { Restaurant } from '#/domain/restaurant.ts'

const NOW = Date.parse('2026-11-20T18:00Z')
const home: Destination = { point: { latitude: 43.08, longitude: -89.38 }, zip: '53703' }

const order = (over: Partial<QuoteRequest>): QuoteRequest => ({
  restaurantApiKey: 'ajanta',
  method: 'pickup',
  payment: 'card',
  test: false,
  items: [{ apiKey: 'vindaloo', customizationChoices: [] }],
  address: null,
  ...over,
})
const facts = (restaurant: Partial<Restaurant> = {}, items: Item[] = [vindaloo, korma]): QuoteFacts => ({
  restaurant: { ...ajanta, ...restaurant },
  items: new Map(items.map((item) => [item.apiKey, item])),
  destination: home,
})
const item = (apiKey: string, ...customizationChoices: string[]) => ({ apiKey, customizationChoices })
const delivery = (...items: QuoteRequest['items']) => order({ method: 'delivery', items })

const faultsOf = (request: QuoteRequest, known: QuoteFacts = facts()) => {
  const result = quote(request, known, NOW)
  expect(result.quote === null).toBe(result.faults.length > 0)
  return result.faults.map(({ pointer, code }) => [pointer, code])
}
const detailsOf = (request: QuoteRequest, known: QuoteFacts = facts()) =>
  quote(request, known, NOW).faults.map(({ detail }) => detail)

describe('prices', () => {
  test('an item without choices costs its base price, with tax rounded half up', () => {
    expect(quote(order({}), facts(), NOW)).toEqual({
      faults: [],
      quote: {
        items: [
          {
            apiKey: 'vindaloo',
            name: 'Chicken Vindaloo',
            basePrice: 1250,
            totalPrice: 1250,
            customizationChoices: [],
          },
        ],
        subtotal: 1250,
        // 5.5 % of 12.50 is 0.6875.
        tax: 69,
        deliveryPrice: 0,
        point: null,
        customerCancelMinutes: 5,
        restaurantName: 'Ajanta',
        restaurantPhone: '608-555-0100',
      },
    })
  })

  test('a refused quote has a subtotal, unless an item is at fault', () => {
    const closed = facts({ pausedUntil: NOW + 60_000 })
    expect(quote(order({}), closed, NOW)).toMatchObject({ quote: null, subtotal: 1250 })
    expect(quote(order({ items: [item('vindaloo'), item('none')] }), closed, NOW)).toMatchObject({
      quote: null,
      subtotal: null,
    })
  })

  test('the error for a pause contains its end, except for a pause until resume', () => {
    const detailAt = (pausedUntil: number) => quote(order({}), facts({ pausedUntil }), NOW).faults[0]?.detail
    expect(detailAt(NOW / 1_000 + 60)).toMatch(/until \d/)
    expect(detailAt(UNTIL_RESUMED)).toMatch(/takes no orders until it resumes\.$/)
  })

  test('each choice adds its price, and each used group adds its base price once', () => {
    const { quote: priced } = quote(
      order({ items: [item('korma', 'hot', 'naan', 'naan', 'no-butter'), item('korma', 'mild')] }),
      facts(),
      NOW,
    )
    expect(priced?.items).toEqual([
      {
        apiKey: 'korma',
        name: 'Korma',
        basePrice: 1095,
        totalPrice: 1095 + 25 + 100 + 275 + 275,
        customizationChoices: [
          { apiKey: 'hot', details: 'How hot: Hot', price: 25 },
          { apiKey: 'naan', details: 'Bread: Naan', price: 275 },
          { apiKey: 'naan', details: 'Bread: Naan', price: 275 },
          { apiKey: 'no-butter', details: 'Bread: No butter', price: 0 },
        ],
      },
      {
        apiKey: 'korma',
        name: 'Korma',
        basePrice: 1095,
        totalPrice: 1095,
        customizationChoices: [{ apiKey: 'mild', details: 'How hot: Mild', price: 0 }],
      },
    ])
    expect(priced?.subtotal).toBe(1770 + 1095)
  })

  test('a choice with price 0 and count 0 also adds the base price of its group', () => {
    const { quote: priced } = quote(order({ items: [item('korma', 'mild', 'no-butter')] }), facts(), NOW)
    expect(priced?.subtotal).toBe(1095 + 100)
  })

  test.each([
    [1250, 80_000, 100],
    [1000, 55_500, 56],
    [1000, 55_499, 55],
    [9, 55_555, 0],
    [10, 50_000, 1],
    [3, 166_667, 1],
    [2, 249_999, 0],
    [12_345, 0, 0],
    [12_345, 1_000_000, 12_345],
  ])('the tax on %i cents at %i millionths is %i cents', (price, taxRatePpm, tax) => {
    const known = facts({ taxRatePpm }, [{ ...vindaloo, basePrice: cents(price) }])
    expect(quote(order({}), known, NOW).quote?.tax).toBe(tax)
  })

  test('a delivery quote has the delivery price of the zone and the point of the address', () => {
    const known = facts({ zones: [aZone({ maxRadius: 5, deliveryPrice: cents(199) })] })
    const { quote: priced } = quote(delivery(item('vindaloo')), known, NOW)
    expect(priced).toMatchObject({ deliveryPrice: 199, point: { latitude: 43.08, longitude: -89.38 } })
  })

  test.each([
    [null, 299],
    [2501, 299],
    [2500, 0],
    [0, 0],
  ])('with minFreeDelivery %j, delivery of 25.00 costs %i cents', (minFreeDelivery, deliveryPrice) => {
    const known = facts({ minFreeDelivery: minFreeDelivery === null ? null : cents(minFreeDelivery) })
    const { quote: priced } = quote(delivery(item('vindaloo'), item('vindaloo')), known, NOW)
    expect(priced?.deliveryPrice).toBe(deliveryPrice)
  })

  test('a delivery quote without a destination has the delivery price of the restaurant and no point', () => {
    const known = { ...facts(), destination: null }
    expect(quote(delivery(item('vindaloo')), known, NOW).quote).toMatchObject({
      deliveryPrice: 299,
      point: null,
    })
  })
})

describe('faults of the restaurant', () => {
  test('restaurant-not-found is the only fault of an order to an unknown restaurant', () => {
    expect(faultsOf(order({ items: [item('nothing')] }), { ...facts(), restaurant: null })).toEqual([
      ['/restaurantApiKey', 'restaurant-not-found'],
    ])
  })

  test.each<[string, Partial<Restaurant>, Partial<QuoteRequest>, [string, string]]>([
    ['restaurant-closed', { hours: {} }, {}, ['/restaurantApiKey', 'restaurant-closed']],
    ['method-not-offered: pickup', { offersPickup: false }, {}, ['/method', 'method-not-offered']],
    [
      'method-not-offered: delivery',
      { offersDelivery: false },
      { method: 'delivery' },
      ['/method', 'method-not-offered'],
    ],
    ['payment-not-accepted: card', { acceptsCard: false }, {}, ['/payment', 'payment-not-accepted']],
    [
      'payment-not-accepted: cash',
      { acceptsCash: false },
      { payment: 'cash' },
      ['/payment', 'payment-not-accepted'],
    ],
    ['not-a-test-restaurant', {}, { test: true }, ['/test', 'not-a-test-restaurant']],
    ['test-restaurant-only', { isTestRestaurant: true }, {}, ['/test', 'test-restaurant-only']],
  ])('reports %s', (_, restaurant, request, fault) => {
    expect(faultsOf(order(request), facts(restaurant))).toEqual([fault])
  })

  test('a test order to a test restaurant has no faults', () => {
    expect(faultsOf(order({ test: true }), facts({ isTestRestaurant: true }))).toEqual([])
  })
})

describe('faults of the items', () => {
  test('item-not-found: an item that is not among the facts of the restaurant', () => {
    expect(faultsOf(order({ items: [item('vindaloo'), item('elsewhere', 'x')] }))).toEqual([
      ['/items/1/apiKey', 'item-not-found'],
    ])
  })

  test('item-unavailable: an unavailable item', () => {
    expect(faultsOf(order({}), facts({}, [{ ...vindaloo, available: false }]))).toEqual([
      ['/items/0/apiKey', 'item-unavailable'],
    ])
  })

  test('item-unavailable: an unavailable choice', () => {
    expect(faultsOf(order({ items: [item('korma', 'naan', 'hellish')] }))).toEqual([
      ['/items/0/customizationChoices/1/apiKey', 'item-unavailable'],
    ])
    expect(detailsOf(order({ items: [item('korma', 'naan', 'hellish')] }))).toContainEqual(
      expect.stringMatching(/^Korma: .* is not available\.$/),
    )
  })

  test('customization-unknown: a choice that does not exist, or that another item has', () => {
    const items = [item('korma', 'mild', 'nonsense'), item('vindaloo', 'mild')]
    expect(faultsOf(order({ items }))).toEqual([
      ['/items/0/customizationChoices/1/apiKey', 'customization-unknown'],
      ['/items/1/customizationChoices/0/apiKey', 'customization-unknown'],
    ])
  })

  test('customization-required: no choice of a required group; the detail has item, group and numbers', () => {
    expect(faultsOf(order({ items: [item('korma')] }))).toEqual([
      ['/items/0/customizationChoices', 'customization-required'],
    ])
    expect(detailsOf(order({ items: [item('korma', 'naan')] }))).toEqual([
      'Korma: "Heat" needs at least 1, chosen: 0.',
    ])
  })

  test('customization-limit: each occurrence of a choice adds its count to that of the group', () => {
    const limit = [['/items/0/customizationChoices', 'customization-limit']]
    expect(faultsOf(order({ items: [item('korma', 'mild', 'mild')] }))).toEqual(limit)
    expect(faultsOf(order({ items: [item('korma', 'mild', 'stuffed', 'naan')] }))).toEqual([])
    expect(faultsOf(order({ items: [item('korma', 'mild', 'stuffed', 'stuffed')] }))).toEqual(limit)
    expect(detailsOf(order({ items: [item('korma', 'mild', 'stuffed', 'stuffed')] }))).toEqual([
      'Korma: "Bread basket" takes at most 3, chosen: 4.',
    ])
    const free = Array.from({ length: 9 }, () => 'no-butter')
    expect(faultsOf(order({ items: [item('korma', 'mild', ...free)] }))).toEqual([])
  })
})

describe('faults of the delivery', () => {
  const far: Destination = { point: { latitude: 44, longitude: -89 }, zip: '54911' }

  test('address-undeliverable: an address outside the delivery area', () => {
    expect(faultsOf(delivery(item('vindaloo'), item('vindaloo')), { ...facts(), destination: far })).toEqual([
      ['/address', 'address-undeliverable'],
    ])
  })

  test('address-not-found-on-map: an address that the geocoder does not find', () => {
    expect(faultsOf(delivery(item('vindaloo')), { ...facts(), destination: 'not-on-map' })).toEqual([
      ['/address', 'address-not-found-on-map'],
    ])
  })

  test('service-unavailable: an unavailable geocoder', () => {
    expect(faultsOf(delivery(item('vindaloo')), { ...facts(), destination: 'map-unavailable' })).toEqual([
      ['/address', 'service-unavailable'],
    ])
  })

  test('below-delivery-minimum: one cent below the minimum; the detail has both amounts', () => {
    const zones = [aZone({ maxRadius: 5, deliveryMin: cents(1251) })]
    expect(faultsOf(delivery(item('vindaloo')), facts({ zones }))).toEqual([
      ['/items', 'below-delivery-minimum'],
    ])
    expect(detailsOf(delivery(item('vindaloo')), facts({ zones }))).toEqual([
      'The minimum for delivery is 12.51; the items come to 12.50.',
    ])
    const enough = [aZone({ maxRadius: 5, deliveryMin: cents(1250) })]
    expect(faultsOf(delivery(item('vindaloo')), facts({ zones: enough }))).toEqual([])
  })

  test('below-delivery-minimum is omitted while an item is at fault and the subtotal is unknown', () => {
    expect(faultsOf(delivery(item('vindaloo'), item('nothing')))).toEqual([
      ['/items/1/apiKey', 'item-not-found'],
    ])
  })

  test('a pickup order has no delivery minimum and needs no address', () => {
    expect(
      faultsOf(order({}), { ...facts({ zones: [aZone({ maxRadius: 0 })] }), destination: 'not-on-map' }),
    ).toEqual([])
  })
})

test('all faults are reported together, each with its pointer and a sentence as detail', () => {
  const known = {
    ...facts({ hours: {}, acceptsCard: false, isTestRestaurant: true }, [
      korma,
      { ...vindaloo, available: false },
    ]),
    destination: 'not-on-map' as const,
  }
  const request = delivery(
    item('vindaloo'),
    item('nothing'),
    item('korma', 'x', 'naan', 'stuffed', 'stuffed'),
  )
  expect(faultsOf(request, known)).toEqual([
    ['/restaurantApiKey', 'restaurant-closed'],
    ['/payment', 'payment-not-accepted'],
    ['/test', 'test-restaurant-only'],
    ['/items/0/apiKey', 'item-unavailable'],
    ['/items/1/apiKey', 'item-not-found'],
    ['/items/2/customizationChoices/0/apiKey', 'customization-unknown'],
    ['/items/2/customizationChoices', 'customization-required'],
    ['/items/2/customizationChoices', 'customization-limit'],
    ['/address', 'address-not-found-on-map'],
  ])
  expect(quote(request, known, NOW).faults.every(({ detail }: Fault) => detail.endsWith('.'))).toBe(true)
})
