import { beforeAll } from 'vitest'
import type { MenuCategory, Restaurant } from '@platter/contracts'
import { anOrder, call, eventually, get, post, type ProblemBody } from './client.ts'
import { aKitchen, menuItem, newKey, salina } from './own-restaurant.ts'

/*
 * A restaurant with two items, for the tests of what it changes itself: availability and pauses. How soon a change is
 * effective: packages/contracts/src/change-times.unit.test.ts, and the tests of each of its parts.
 */

/** Creates the restaurant of one test file. */
export function setUpPieKitchen() {
  /** A word that no other restaurant has, of an earlier run either. */
  const word = `quiltwort${crypto.randomUUID().slice(0, 8)}`
  const [pie, crust, cream, whipped] = [newKey(), newKey(), newKey(), newKey()]
  const items = [
    menuItem(10, {
      apiKey: pie,
      customizationGroups: [
        {
          apiKey: newKey(),
          name: 'On top',
          customizations: [
            {
              apiKey: newKey(),
              name: 'Cream',
              customizationChoices: [
                { apiKey: whipped, name: 'Whipped', price: 0.5 },
                { apiKey: cream, name: 'Sour', price: 0.5 },
              ],
            },
          ],
        },
      ],
    }),
    menuItem(8, { apiKey: crust }),
  ]

  let kitchen: Awaited<ReturnType<typeof aKitchen>>
  beforeAll(async () => {
    kitchen = await aKitchen({ name: `${word} Pies` }, items)
  })

  const order = (changes: object = {}) => anOrder(kitchen.apiKey, { items: [{ apiKey: crust }], ...changes })

  return {
    pie,
    crust,
    cream,
    whipped,

    /** A request of the restaurant, which changes something. */
    change: <T>(path: string, body?: unknown, key = kitchen.key) =>
      call<T & ProblemBody>(`/restaurantapi/v1/${path}`, {
        method: 'POST',
        key,
        ...(body !== undefined && { body }),
      }),

    /** A record as the restaurant itself reads it. */
    own: async <T>(path: string) => (await call<T>(`/restaurantapi/v1/${path}`, { key: kitchen.key })).body,

    /** Whether an item or a choice is available on the public menu. */
    onTheMenu: async (apiKey: string): Promise<boolean | undefined> => {
      const path = `restaurant/${kitchen.apiKey}/menu?includeCustomizations=true`
      const { body } = await get<MenuCategory[]>(path)
      const found = body.flatMap((category) => category.items)
      const choices = found.flatMap((item) =>
        (item.customizationGroups ?? []).flatMap(({ customizations }) =>
          customizations.flatMap(({ customizationChoices }) => customizationChoices),
        ),
      )
      return [...found, ...choices].find((one) => one.apiKey === apiKey)?.available
    },

    /** The body of send-order: one crust, but for the changes. */
    order,

    /** Status and problem code of validate-order. */
    validated: async (changes: object): Promise<string> => {
      const { status, body } = await post<ProblemBody>('validate-order', await order(changes))
      return `${status} ${body.code}`.replace(' undefined', '')
    },

    details: async () =>
      (await get<Restaurant & { restaurant: Restaurant }>(`restaurant/${kitchen.apiKey}`)).body,

    /** `open` of the restaurant in the results of a search. */
    openInSearch: async (): Promise<string> => {
      const query = new URLSearchParams({
        search: word,
        'street-address': `${salina.city}, ${salina.state}`,
      })
      const { body } = await get<{ restaurants: Restaurant[] }>(`restaurant/search?${query.toString()}`)
      return body.restaurants.map(({ open }) => open).join()
    },
  }
}

/** The results of four reads in a row, which go to all replicas of gateway and catalog; one word when they agree. */
export async function agreed(read: () => Promise<unknown>): Promise<string> {
  const results = await Promise.all(Array.from({ length: 4 }, read))
  return [...new Set(results.map(String))].join(' and ')
}

export const becomes = (read: () => Promise<unknown>, wanted: string): Promise<string> =>
  eventually(
    () => agreed(read),
    (result) => result === wanted,
  )

/** As if the time of an override were over. */
export const EXPIRE_OVERRIDE = 'update catalog.availability set until = now() where api_key = $1'
