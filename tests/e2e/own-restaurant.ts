import { randomBytes } from 'node:crypto'
import { PutRestaurant, WEEK } from '@platter/contracts'
import { api, expectOk, operator } from './client.ts'

/*
 * Restaurants of single tests. They are in Salina, Kansas, where no other test searches. A restaurant for a text search has a
 * unique word.
 */

/** Returns a key in the format of the platform: 48 hexadecimal characters. */
export const newKey = (): string => randomBytes(24).toString('hex')

export const always = Object.fromEntries(WEEK.map((day) => [day, ['12:00 AM - 12:00 AM']]))

export const salina = {
  streetAddress: '147 N Santa Fe Ave',
  city: 'Salina',
  state: 'KS',
  zip: '67401',
  latitude: 38.8409,
  longitude: -97.6093,
}

const { apiKey: _apiKey, zones: _zones, ...example } = PutRestaurant.examples.bodies['A restaurant']

/**
 * Open at all times, for cash and card, pickup and delivery within five miles for 3.50. It takes orders while unattended, because
 * attendance.test.ts tests attendance.
 */
export const restaurantInput = {
  ...example,
  ...salina,
  name: "Sam's Pies – 2nd & Main",
  foodTypes: ['Pies'],
  deliveryMin: 0,
  deliveryPrice: 3.5,
  minFreeDelivery: -1,
  taxRate: 0.08,
  requireAttendance: false,
  hours: always,
}

export const menuItem = (basePrice: number, changes: Record<string, unknown> = {}) => ({
  apiKey: newKey(),
  name: 'Cheese Pie',
  basePrice,
  ...changes,
})

/** Returns an item with one group, from which an order may have up to two of the choices. */
export const itemWithChoices = (
  basePrice: number,
  { group, choices }: { group: string; choices: readonly object[] },
  changes: Record<string, unknown> = {},
) => {
  const customization = { apiKey: newKey(), name: group, type: group, customizationChoices: choices }
  return menuItem(basePrice, {
    customizationGroups: [{ apiKey: newKey(), name: group, maxCount: 2, customizations: [customization] }],
    ...changes,
  })
}

export const menuOf = (items: readonly object[]) => [{ apiKey: newKey(), name: 'Pies', items }]

export const putRestaurant = <T = { apiKey: string }>(apiKey: string, input: unknown) =>
  operator<T>('PUT', `restaurants/${apiKey}`, input)

export const putMenu = <T = unknown>(apiKey: string, menu: unknown) =>
  operator<T>('PUT', `restaurants/${apiKey}/menu`, menu)

/** Creates a restaurant with these items in one category. Returns its apiKey. */
export async function aRestaurant(
  changes: Record<string, unknown> = {},
  items: readonly object[] = [],
): Promise<string> {
  const apiKey = newKey()
  expectOk(await putRestaurant(apiKey, { ...restaurantInput, ...changes }))
  if (items.length > 0) expectOk(await putMenu(apiKey, menuOf(items)))
  return apiKey
}

/** Creates a restaurant whose orders change only by its reports, and its access key. */
export async function aKitchen(
  changes: Record<string, unknown> = {},
  items: readonly object[] = [menuItem(10)],
  reports: 'detailed' | 'coarse' = 'detailed',
): Promise<{ apiKey: string; key: string }> {
  const apiKey = await aRestaurant(changes, items)
  await api.linkConsole(apiKey, reports)
  return { apiKey, key: await api.restaurantKey(apiKey) }
}

export const NAMES = { restaurant: 'Nine Lanterns', soup: 'Lentil Soup', chili: 'Chili crisp' }
export const consoleKeys = () => ({ soup: newKey(), dumplings: newKey(), chili: newKey(), soy: newKey() })

export type OwnRestaurant = Awaited<ReturnType<typeof aConsole>>

/** Creates a restaurant whose orders change only by its reports, with two items. Chili and soy are choices of the dumplings. */
export async function aConsole(
  reports: 'detailed' | 'coarse' = 'detailed',
  names = NAMES,
  keys = consoleKeys(),
) {
  const choices = [
    { apiKey: keys.chili, name: names.chili, price: 0.75 },
    { apiKey: keys.soy, name: 'Soy sauce', price: 0 },
  ]
  const dumplings = { apiKey: keys.dumplings, name: 'Pan-fried Dumplings' }
  const items = [
    menuItem(8.5, { apiKey: keys.soup, name: names.soup }),
    itemWithChoices(11.25, { group: 'Sauce', choices }, dumplings),
  ]
  return { ...keys, ...(await aKitchen({ name: names.restaurant }, items, reports)) }
}
