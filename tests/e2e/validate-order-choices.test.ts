import { expect, test } from 'vitest'
import { maria } from './client.ts'
import { aRestaurant, menuItem, newKey } from './own-restaurant.ts'
import { only, refusal, validate } from './refusals.ts'

type Limits = readonly [minCount: number, maxCount: number]
type Choice = ReturnType<typeof choice>

const choice = (changes: Record<string, unknown> = {}) => ({
  apiKey: newKey(),
  name: 'x',
  price: 1,
  ...changes,
})
const plain = choice({ name: 'Plain' })
const double = choice({ name: 'Double', price: 3, count: 2 })
const none = choice({ name: 'None', price: 0, count: 0 })
const soldOut = choice({ name: 'Sold out', available: false })
const toppings = (
  [minCount, maxCount]: Limits,
  choices: readonly Choice[] = [plain, double, none, soldOut],
) => ({
  apiKey: newKey(),
  name: 'Toppings',
  minCount,
  maxCount,
  basePrice: 0.5,
  customizations: [{ apiKey: newKey(), name: 'Topping', customizationChoices: choices }],
})

/** Returns an order of an item with these groups. Its restaurant also has the other items. */
async function orderWith(
  groups: readonly object[],
  choices: readonly { apiKey: string }[],
  others: readonly object[] = [],
) {
  const item = menuItem(10, { customizationGroups: groups })
  const restaurantApiKey = await aRestaurant({ taxRate: 0 }, [item, ...others])
  const customizationChoices = choices.map(({ apiKey }) => ({ apiKey }))
  return {
    restaurantApiKey,
    items: [{ apiKey: item.apiKey, customizationChoices }],
    method: 'pickup',
    payment: 'cash',
    recipient: maria,
  }
}

test.each<[string, Limits, Choice[], number]>([
  ['one choice', [1, 3], [plain], 11.5],
  ['a choice with a count of 2 fills two places', [2, 2], [double], 13.5],
  ['the counts of choices add up', [1, 3], [plain, double], 14.5],
  ['a repeated choice counts again', [3, 3], [plain, plain, plain], 13.5],
  ['a choice with a count of 0 fills no place', [1, 1], [plain, none, none], 11.5],
  ['no choice, with a minimum of 0', [0, 1], [], 10],
])('200: %s', async (_, limits, choices, subtotal) => {
  const { status, body } = await validate(await orderWith([toppings(limits)], choices))
  expect(status).toBe(200)
  expect(body).toMatchObject({ subtotal, items: [{ basePrice: 10, totalPrice: subtotal }] })
  expect(body.items[0]?.customizationChoices).toEqual(
    choices.map(({ apiKey, price, name }) => ({ apiKey, price, details: `Topping: ${name}` })),
  )
})

const AT = '/items/0/customizationChoices'
test.each<[string, Limits, Choice[], string]>([
  ['no choice, with a minimum of 1', [1, 3], [], `customization-required ${AT}`],
  ['a count of 0, with a minimum of 1', [1, 3], [none], `customization-required ${AT}`],
  ['three choices, with a maximum of 2', [0, 2], [plain, plain, plain], `customization-limit ${AT}`],
  ['a total count of 3, with a maximum of 2', [0, 2], [plain, double], `customization-limit ${AT}`],
  ['one choice, with a maximum of 0', [0, 0], [plain], `customization-limit ${AT}`],
  ['an unknown choice', [0, 3], [plain, choice()], `customization-unknown ${AT}/1/apiKey`],
  ['an unavailable choice', [0, 3], [soldOut], `item-unavailable ${AT}/0/apiKey`],
])('422: %s', async (_, limits, choices, fault) => {
  expect(await refusal(await orderWith([toppings(limits)], choices))).toEqual(only(422, fault))
})

test.each<[string, readonly object[]]>([
  ['without customizations', []],
  ['with other customizations', [toppings([0, 1])]],
])("422 customization-unknown: another item's choice, for an item %s", async (_, groups) => {
  const foreign = choice()
  const other = menuItem(5, { customizationGroups: [toppings([0, 1], [foreign])] })
  expect(await refusal(await orderWith(groups, [foreign], [other]))).toEqual(
    only(422, `customization-unknown ${AT}/0/apiKey`),
  )
})

test('422 customization-required: two items without the required choice, each by its pointer', async () => {
  const order = await orderWith([toppings([1, 1])], [])
  const twice = { ...order, items: [...order.items, ...order.items] }
  expect(await refusal(twice)).toEqual({
    status: 422,
    faults: [`customization-required ${AT}`, 'customization-required /items/1/customizationChoices'],
  })
})

test('422 item-unavailable: an item with available: false', async () => {
  const item = menuItem(5, { available: false })
  const restaurantApiKey = await aRestaurant({}, [item])
  const items = [{ apiKey: item.apiKey }]
  expect(
    await refusal({ restaurantApiKey, items, method: 'pickup', payment: 'cash', recipient: maria }),
  ).toEqual(only(422, 'item-unavailable /items/0/apiKey'))
})
