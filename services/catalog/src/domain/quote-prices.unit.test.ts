import { cents } from '@platter/contracts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ajanta } from '#/testing/ajanta.ts'
import type { Item } from '#/domain/menu.ts'
import { quote, type QuoteRequest } from '#/domain/quote.ts'

/*
 * Compares prices and faults of items with an oracle that follows docs/interface.md ("Order prices") and shares no code with `quote`. It iterates over
 * the chosen items instead of the menu, and finds items by position instead of by key. It computes the tax from the definition of
 * rounding half up.
 */

const NOW = Date.parse('2026-11-20T18:00Z')
const price = fc.integer({ min: 0, max: 1_000_000 }).map(cents)

/** The random members of items and choices that may cause faults. */
type Obstacles = {
  available: fc.Arbitrary<boolean>
  count: fc.Arbitrary<number>
  limits: fc.Arbitrary<{ minCount: number; maxCount: number }>
}

/** Groups accept any choices. */
const NO_OBSTACLES: Obstacles = {
  available: fc.constant(true),
  count: fc.constant(1),
  limits: fc.constant({ minCount: 0, maxCount: 1_000 }),
}

const OBSTACLES: Obstacles = {
  available: fc.nat(9).map((number) => number > 0),
  count: fc.nat(2),
  limits: fc.record({ minCount: fc.nat(1), maxCount: fc.integer({ min: 1, max: 3 }) }),
}

/** The key of a choice has the positions of item, group and choice. */
const anItem = (index: number, { available, count, limits }: Obstacles) =>
  fc
    .record({
      basePrice: price,
      available,
      groups: fc.array(
        fc.record({
          basePrice: price,
          limits,
          choices: fc.array(fc.record({ price, count, available }), { minLength: 1, maxLength: 4 }),
        }),
        { maxLength: 4 },
      ),
    })
    .map(({ groups, ...item }): Item => ({
      ...item,
      apiKey: `${index}`,
      name: `Item ${index}`,
      description: null,
      customizationGroups: groups.map((group, place) => ({
        apiKey: `${index}.${place}`,
        name: 'Group',
        ...group.limits,
        basePrice: group.basePrice,
        customizations: group.choices.map((choice, at) => ({
          apiKey: `${index}.${place}.${at}`,
          name: 'Customization',
          type: '',
          customizationChoices: [{ apiKey: `${index}.${place}.${at}.0`, name: 'Choice', ...choice }],
        })),
      })),
    }))

const choiceKeys = (item: Item) =>
  item.customizationGroups.flatMap(({ customizations }) =>
    customizations.flatMap(({ customizationChoices }) => customizationChoices.map(({ apiKey }) => apiKey)),
  )

const aMenu = (obstacles: Obstacles) =>
  fc.tuple(anItem(0, obstacles), anItem(1, obstacles), anItem(2, obstacles))

const anOrder = aMenu(NO_OBSTACLES).chain((menu) =>
  fc.record({
    menu: fc.constant(menu),
    items: fc.array(
      fc.constantFrom(...menu).chain((item) => {
        const keys = choiceKeys(item)
        const chosen =
          keys.length > 0 ? fc.array(fc.constantFrom(...keys), { maxLength: 50 }) : fc.constant<string[]>([])
        return chosen.map((customizationChoices) => ({ apiKey: item.apiKey, customizationChoices }))
      }),
      { minLength: 1, maxLength: 100 },
    ),
    taxRatePpm: fc.integer({ min: 0, max: 1_000_000 }),
    minFreeDelivery: fc.option(fc.integer({ min: 0, max: 3_000_000 }).map(cents)),
    method: fc.constantFrom('pickup' as const, 'delivery' as const),
  }),
)

const requestOf = (
  items: QuoteRequest['items'],
  method: QuoteRequest['method'] = 'pickup',
): QuoteRequest => ({ restaurantApiKey: 'a', method, payment: 'cash', test: false, items, address: null })

function expectedItem(
  menu: readonly Item[],
  { apiKey, customizationChoices }: QuoteRequest['items'][number],
): bigint {
  const { basePrice, customizationGroups } = menu[Number(apiKey)]!
  let total = BigInt(basePrice)
  const countedGroups = new Set<string>()
  for (const key of customizationChoices) {
    const [, group, choice] = key.split('.')
    const found = customizationGroups[Number(group)]!
    if (!countedGroups.has(group!)) total += BigInt(found.basePrice)
    countedGroups.add(group!)
    total += BigInt(found.customizations[Number(choice)]!.customizationChoices[0]!.price)
  }
  return total
}

test('any order has the item prices, subtotal, tax and delivery price of an independent oracle', () => {
  fc.assert(
    fc.property(anOrder, ({ menu, items, taxRatePpm, minFreeDelivery, method }) => {
      const restaurant = { ...ajanta, taxRatePpm, minFreeDelivery, deliveryMin: cents(0) }
      const facts = {
        restaurant,
        items: new Map(menu.map((item) => [item.apiKey, item])),
        destination: { point: { latitude: ajanta.latitude, longitude: ajanta.longitude }, zip: '' },
      }
      const priced = quote(requestOf(items, method), facts, NOW).quote
      const expected = items.map((item) => expectedItem(menu, item))
      const subtotal = expected.reduce((sum, one) => sum + one, 0n)
      expect(priced?.items.map(({ totalPrice }) => BigInt(totalPrice))).toEqual(expected)
      expect(BigInt(priced?.subtotal ?? -1)).toBe(subtotal)

      // Rounding half up: the exact tax minus the tax is at least -0.5 cents and less than 0.5 cents.
      const rest = subtotal * BigInt(taxRatePpm) - BigInt(priced?.tax ?? -1) * 1_000_000n
      expect(rest >= -500_000n && rest < 500_000n).toBe(true)

      const free = method === 'pickup' || (minFreeDelivery !== null && subtotal >= BigInt(minFreeDelivery))
      expect(priced?.deliveryPrice).toBe(free ? 0 : restaurant.deliveryPrice)
    }),
    { numRuns: 500 },
  )
})

/** Items mostly with their own choices. Some choices are those of any item, or do not exist. */
const anImpossibleOrder = aMenu(OBSTACLES).chain((menu) => {
  const any = fc.constantFrom('none', ...menu.flatMap(choiceKeys))
  const anItemOf = fc.constantFrom(...menu).chain((item) => {
    const own = choiceKeys(item)
    const choice =
      own.length > 0
        ? fc.oneof({ weight: 19, arbitrary: fc.constantFrom(...own) }, { weight: 1, arbitrary: any })
        : any
    const chosen = fc.array(choice, { maxLength: 5 })
    return chosen.map((customizationChoices) => ({ apiKey: item.apiKey, customizationChoices }))
  })
  return fc.record({
    menu: fc.constant(menu),
    items: fc.array(anItemOf, { minLength: 1, maxLength: 3 }),
  })
})

function expectedFaults(menu: readonly Item[], items: QuoteRequest['items']): string[] {
  const faults: string[] = []
  for (const [line, { apiKey, customizationChoices }] of items.entries()) {
    const { available, customizationGroups } = menu[Number(apiKey)]!
    const used = customizationGroups.map(() => 0)
    if (!available) faults.push(`item-unavailable /items/${line}/apiKey`)
    for (const [at, key] of customizationChoices.entries()) {
      const [owner, group, choice] = key.split('.').map(Number)
      const found =
        owner === Number(apiKey)
          ? customizationGroups[group!]!.customizations[choice!]!.customizationChoices[0]
          : undefined
      const code = !found ? 'customization-unknown' : found.available ? null : 'item-unavailable'
      if (code !== null) faults.push(`${code} /items/${line}/customizationChoices/${at}/apiKey`)
      if (found) used[group!]! += found.count
    }
    for (const [group, { minCount, maxCount }] of customizationGroups.entries()) {
      if (used[group]! < minCount) faults.push(`customization-required /items/${line}/customizationChoices`)
      if (used[group]! > maxCount) faults.push(`customization-limit /items/${line}/customizationChoices`)
    }
  }
  return faults.toSorted()
}

test('any order has the item faults of an independent oracle, and prices only without a fault', () => {
  const seen = { priced: 0, refused: 0 }
  fc.assert(
    fc.property(anImpossibleOrder, ({ menu, items }) => {
      const facts = {
        restaurant: ajanta,
        items: new Map(menu.map((item) => [item.apiKey, item])),
        destination: null,
      }
      const { faults, quote: priced } = quote(requestOf(items), facts, NOW)
      expect(faults.map(({ code, pointer }) => `${code} ${pointer}`).toSorted()).toEqual(
        expectedFaults(menu, items),
      )
      expect(priced === null).toBe(faults.length > 0)
      seen[priced ? 'priced' : 'refused'] += 1
    }),
    { numRuns: 1_000 },
  )
  expect(seen.priced).toBeGreaterThan(50)
  expect(seen.refused).toBeGreaterThan(50)
})

test('the sequence of items and choices changes neither the subtotal nor the tax', () => {
  fc.assert(
    fc.property(anOrder, ({ menu, items, taxRatePpm }) => {
      const facts = {
        restaurant: { ...ajanta, taxRatePpm },
        items: new Map(menu.map((item) => [item.apiKey, item])),
        destination: null,
      }
      const reversed = items
        .map((item) => ({ ...item, customizationChoices: item.customizationChoices.toReversed() }))
        .toReversed()
      const totals = [items, reversed].map((ordered) => {
        const { subtotal, tax } = quote(requestOf(ordered), facts, NOW).quote ?? {}
        return { subtotal, tax }
      })
      expect(totals[0]).toEqual(totals[1])
    }),
    { numRuns: 200 },
  )
})
