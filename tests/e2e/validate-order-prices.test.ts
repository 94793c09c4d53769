import type { MenuItem } from '@platter/contracts'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import {
  card,
  cast,
  get,
  home,
  maria,
  post,
  type MenuCategory,
  type Order,
  type Restaurant,
} from './client.ts'
import { aRestaurant, menuItem, newKey, salina, seedOf } from './own-restaurant.ts'
import { cents, choicesOf, judge, taxOn, type Ordered } from './pricing.ts'

type Refused = { errors: { code: string; pointer: string }[] }
type Shop = { restaurant: Restaurant; items: MenuItem[] }

const shops: Shop[] = []

beforeAll(async () => {
  const wings = (await seedOf('wingspan-kitchen')).restaurant.apiKey
  for (const apiKey of [cast.aurora, cast.coarse, cast.cashOnly, cast.pickupOnly, wings]) {
    const { body: restaurant } = await get<Restaurant>(
      `restaurant/${apiKey}?street-address=Madison,+WI+53703`,
    )
    const { body: menu } = await get<MenuCategory[]>(`restaurant/${apiKey}/menu?includeCustomizations=true`)
    shops.push({ restaurant, items: menu.flatMap(({ items }) => items) })
  }
})

const pick = <T>(list: readonly T[], at: number): T => list[at % list.length]!

/** Returns choices that fill each group, in the order of `wishes`: at least the minimum and a few more, up to the maximum. */
function fitting(item: MenuItem, wishes: readonly number[]): string[] {
  return (item.customizationGroups ?? []).flatMap((group, at) => {
    const choices = choicesOf(group).filter(({ available }) => available)
    const count = group.minCount + (pick(wishes, at) % 3)
    const chosen: string[] = []
    let used = 0
    for (let turn = 0; turn < 30 && used < count; turn++) {
      const choice = pick(choices, pick(wishes, at + turn) + turn)
      if (used + choice.count > group.maxCount) continue
      used += choice.count
      chosen.push(choice.apiKey)
    }
    return chosen
  })
}

/** Returns arbitrary choices: of the item, of other items, invented, repeated. */
const arbitrary = (item: MenuItem, shop: Shop, wishes: readonly number[]): string[] =>
  wishes.slice(0, 4).map((wish) => {
    const own = (item.customizationGroups ?? []).flatMap(choicesOf)
    const others = (pick(shop.items, wish).customizationGroups ?? []).flatMap(choicesOf)
    const from = wish % 4 === 3 ? [...others, ...own] : own
    return from.length > 0 && wish % 11 !== 10 ? pick(from, wish).apiKey : 'made-up'
  })

const line = fc.record({
  item: fc.nat(200),
  wishes: fc.array(fc.nat(100), { minLength: 1, maxLength: 8 }),
  fits: fc.boolean(),
})
const anOrder = fc.record({
  shop: fc.nat(20),
  lines: fc.array(line, { minLength: 1, maxLength: 8 }),
  allFit: fc.boolean(),
  delivery: fc.boolean(),
  tip: fc.nat(5_000),
})

function orderedOf(
  shop: Shop,
  lines: readonly { item: number; wishes: number[]; fits: boolean }[],
  allFit: boolean,
) {
  const items = allFit ? shop.items.filter(({ available }) => available) : shop.items
  return lines.map(({ item: at, wishes, fits }): Ordered => {
    const item = pick(items, at)
    return { item, choices: allFit || fits ? fitting(item, wishes) : arbitrary(item, shop, wishes) }
  })
}

const requestFor = ({ restaurant }: Shop, ordered: readonly Ordered[], more: object) => ({
  restaurantApiKey: restaurant.apiKey,
  items: ordered.map(({ item, choices }) => ({
    apiKey: item.apiKey,
    customizationChoices: choices.map((apiKey) => ({ apiKey })),
  })),
  ...(restaurant.acceptsCash ? { payment: 'cash' } : { payment: 'card', card: card() }),
  recipient: maria,
  ...more,
})

/** Returns the faults that the rules find, or the prices. */
function expected({ restaurant }: Shop, ordered: readonly Ordered[], delivery: boolean, tip: bigint) {
  const judged = ordered.map(judge)
  const faults = judged.flatMap(({ faults: own }, at) =>
    own.map((fault) => fault.replace(' ', ` /items/${at}`)),
  )
  const subtotal = judged.reduce((sum, { price }) => sum + price, 0n)
  if (faults.length === 0 && delivery && subtotal < cents(restaurant.deliveryMin))
    faults.push('below-delivery-minimum /items')
  if (faults.length > 0) return { faults: faults.toSorted() }
  const tax = taxOn(subtotal, restaurant.taxRate)
  const isFree = restaurant.minFreeDelivery >= 0 && subtotal >= cents(restaurant.minFreeDelivery)
  const deliveryPrice = !delivery || isFree ? 0n : cents(restaurant.deliveryPrice)
  const lines = judged.map(({ price }) => price)
  return { lines, subtotal, tax, deliveryPrice, tip, total: subtotal + tax + deliveryPrice + tip }
}

function resultOf(body: Order | Refused) {
  if (!('total' in body))
    return { faults: body.errors.map(({ code, pointer }) => `${code} ${pointer}`).toSorted() }
  const { subtotal, tax, deliveryPrice, tip, total } = body
  return {
    lines: body.items.map(({ totalPrice }) => cents(totalPrice)),
    subtotal: cents(subtotal),
    tax: cents(tax),
    deliveryPrice: cents(deliveryPrice),
    tip: cents(tip),
    total: cents(total),
  }
}

test('the prices or the faults of a generated order equal those of an independent oracle', async () => {
  const seen = { priced: 0, refused: 0 }
  await fc.assert(
    fc.asyncProperty(anOrder, async ({ shop: at, lines, allFit, delivery: wanted, tip: wish }) => {
      const shop = pick(shops, at)
      const delivery = wanted && shop.restaurant.offersDelivery
      const ordered = orderedOf(shop, lines, allFit)
      const tip = delivery ? wish : 0
      const request = requestFor(shop, ordered, {
        ...(delivery ? { method: 'delivery', address: home } : { method: 'pickup' }),
        tip: tip / 100,
      })
      const { status, body } = await post<Order | Refused>('validate-order', request)
      seen[status === 200 ? 'priced' : 'refused'] += 1
      expect(resultOf(body)).toEqual(expected(shop, ordered, delivery, BigInt(tip)))
    }),
    {
      numRuns: 120,
      examples: [
        [{ shop: 0, lines: [{ item: 0, wishes: [0], fits: true }], allFit: true, delivery: true, tip: 1 }],
      ],
    },
  )
  expect(seen.priced).toBeGreaterThan(20)
  expect(seen.refused).toBeGreaterThan(20)
})

// Delivery -------------------------------------------------------------------------------------------------

async function delivered(basePrice: number, restaurant: Record<string, unknown>) {
  const item = menuItem(basePrice)
  return post<Order>('validate-order', {
    restaurantApiKey: await aRestaurant(restaurant, [item]),
    items: [{ apiKey: item.apiKey }],
    payment: 'cash',
    recipient: maria,
    method: 'delivery',
    address: salina,
  })
}

const zone = () => ({ apiKey: newKey(), zips: ['67401'] })

test("delivery costs the zone's price, and is free from the restaurant's minFreeDelivery on", async () => {
  for (const [subtotal, deliveryPrice] of [
    [29.99, 9.75],
    [30, 0],
  ] as const) {
    const zones = [{ ...zone(), deliveryPrice: 9.75 }]
    expect((await delivered(subtotal, { zones, minFreeDelivery: 30 })).body.deliveryPrice).toBe(deliveryPrice)
  }
})

test("a zone's deliveryMin overrides the restaurant's, and an equal subtotal meets it", async () => {
  const [zones, others] = [zone(), zone()].map((one) => [{ ...one, deliveryMin: 12.5 }])
  expect((await delivered(12.5, { zones, deliveryMin: 99 })).status).toBe(200)
  expect(await delivered(12.49, { zones: others, deliveryMin: 0 })).toMatchObject({
    status: 422,
    body: { code: 'below-delivery-minimum', errors: [{ pointer: '/items' }] },
  })
})
