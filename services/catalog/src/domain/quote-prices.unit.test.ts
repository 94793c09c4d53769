import { cents } from '@platter/contracts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ajanta } from '#/testing/ajanta.ts'
import type { Item } from '#/domain/menu.ts'
import { quote, type QuoteRequest } from '#/domain/quote.ts'

/*
 * Compares prices with an oracle that follows docs/interface.md ("Order prices") and shares no code with `quote`. It iterates over
 * the chosen items instead of the menu, and finds items by position instead of by key. It computes the tax from the definition of
 * rounding half up.
 */

const NOW = Date.parse('2026-11-20T18:00Z')
const price = fc.integer({ min: 0, max: 1_000_000 }).map(cents)

/** An item whose groups accept any choices. The key of a choice has the positions of item, group and choice. */
const anItem = (index: number) =>
  fc
    .record({
      basePrice: price,
      groups: fc.array(
        fc.record({ basePrice: price, prices: fc.array(price, { minLength: 1, maxLength: 4 }) }),
        { maxLength: 4 },
      ),
    })
    .map(({ basePrice, groups }): Item => ({
      apiKey: `${index}`,
      name: `Item ${index}`,
      description: null,
      basePrice,
      available: true,
      customizationGroups: groups.map((group, place) => ({
        apiKey: `${index}.${place}`,
        name: 'Group',
        minCount: 0,
        maxCount: 1_000,
        basePrice: group.basePrice,
        customizations: group.prices.map((choicePrice, choice) => ({
          apiKey: `${index}.${place}.${choice}`,
          name: 'Customization',
          type: '',
          customizationChoices: [
            {
              apiKey: `${index}.${place}.${choice}.0`,
              name: 'Choice',
              price: choicePrice,
              count: 1,
              available: true,
            },
          ],
        })),
      })),
    }))

const choiceKeys = (item: Item) =>
  item.customizationGroups.flatMap(({ customizations }) =>
    customizations.flatMap(({ customizationChoices }) => customizationChoices.map(({ apiKey }) => apiKey)),
  )

const anOrder = fc.tuple(anItem(0), anItem(1), anItem(2)).chain((menu) =>
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
      const request = {
        restaurantApiKey: 'a',
        method,
        payment: 'cash' as const,
        test: false,
        items,
        address: null,
      }
      const restaurant = { ...ajanta, taxRatePpm, minFreeDelivery, deliveryMin: cents(0) }
      const facts = {
        restaurant,
        items: new Map(menu.map((item) => [item.apiKey, item])),
        destination: { point: { latitude: ajanta.latitude, longitude: ajanta.longitude }, zip: '' },
      }
      const priced = quote(request, facts, NOW).quote
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

test('the sequence of items and choices changes neither the subtotal nor the tax', () => {
  fc.assert(
    fc.property(anOrder, ({ menu, items, taxRatePpm }) => {
      const facts = {
        restaurant: { ...ajanta, taxRatePpm },
        items: new Map(menu.map((item) => [item.apiKey, item])),
        destination: null,
      }
      const request: QuoteRequest = {
        restaurantApiKey: 'a',
        method: 'pickup',
        payment: 'cash',
        test: false,
        items,
        address: null,
      }
      const reversed = items
        .map((item) => ({ ...item, customizationChoices: item.customizationChoices.toReversed() }))
        .toReversed()
      const totals = [request, { ...request, items: reversed }].map((one) => {
        const { subtotal, tax } = quote(one, facts, NOW).quote ?? {}
        return { subtotal, tax }
      })
      expect(totals[0]).toEqual(totals[1])
    }),
    { numRuns: 200 },
  )
})
