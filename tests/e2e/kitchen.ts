import { beforeAll } from 'vitest'
import type { MenuCategory, Restaurant } from '@platter/contracts'
import { anOrder, get, post, type ProblemBody, asRestaurant } from './client.ts'
import { aConsole, consoleKeys, NAMES, salina, type OwnRestaurant } from './own-restaurant.ts'

/*
 * A restaurant with two items, for tests of its own changes: availability and pauses. packages/contracts/src/change-times.unit.test.ts
 * tests the delay until clients see a change.
 */

const bodyOf = async <T>(path: string) => (await get<T>(path)).body

/** Creates the restaurant of one test file. */
export function setUpKitchen() {
  /** A word that no other restaurant has, even from an earlier run. */
  const word = `quiltwort${crypto.randomUUID().slice(0, 8)}`
  const keys = consoleKeys()
  let kitchen: OwnRestaurant
  beforeAll(async () => {
    kitchen = await aConsole('detailed', { ...NAMES, restaurant: `${word} Soups` }, keys)
  })

  /** Returns the body of send-order: one soup. `changes` replaces fields. */
  const order = (changes: object = {}) =>
    anOrder(kitchen.apiKey, { items: [{ apiKey: keys.soup }], ...changes })

  return {
    ...keys,
    order,

    /** Sends a request of the restaurant that changes data. */
    change: <T>(path: string, body: unknown = {}, key = kitchen.key) => asRestaurant<T>(path, body, key),

    /** Returns a record in the form for the restaurant. */
    own: async <T>(path: string) => (await asRestaurant<T>(path, undefined, kitchen.key)).body,

    /** Returns true if an item or a choice is available on the public menu. */
    onTheMenu: async (apiKey: string): Promise<boolean | undefined> => {
      const menu = await bodyOf<MenuCategory[]>(
        `restaurant/${kitchen.apiKey}/menu?includeCustomizations=true`,
      )
      const shown = menu.flatMap((category) => category.items)
      const choices = shown
        .flatMap(({ customizationGroups = [] }) => customizationGroups)
        .flatMap(({ customizations }) => customizations)
        .flatMap(({ customizationChoices }) => customizationChoices)
      return [...shown, ...choices].find((one) => one.apiKey === apiKey)?.available
    },

    /** Returns the status and the problem code of validate-order. */
    validated: async (changes: object): Promise<string> => {
      const { status, body } = await post<ProblemBody>('validate-order', await order(changes))
      return `${status} ${body.code}`.replace(' undefined', '')
    },

    details: () => bodyOf<Restaurant & { restaurant: Restaurant }>(`restaurant/${kitchen.apiKey}`),

    /** Returns `open` of the restaurant in the results of a search. */
    openInSearch: async (): Promise<string> => {
      const path = `restaurant/search?search=${word}&street-address=${salina.city},+${salina.state}`
      const { restaurants } = await bodyOf<{ restaurants: Restaurant[] }>(path)
      return restaurants.map(({ open }) => open).join()
    },
  }
}

/** Ends the time of an override. */
export const EXPIRE_OVERRIDE = 'update catalog.availability set until = now() where api_key = $1'
