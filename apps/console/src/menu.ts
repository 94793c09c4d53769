import type { OwnCategory } from '@platter/contracts'
import { signal } from '@preact/signals'
import { attempt } from '#/attempt.ts'
import { restaurantApi } from '#/api.ts'

export type Category = OwnCategory
export type Item = Category['items'][number]
type Choice = Item['customizationGroups'][number]['customizations'][number]['customizationChoices'][number]

/** What can be switched off: an item, or a choice of one. */
export type Entry = {
  kind: 'item' | 'choice'
  apiKey: string
  name: string
  /** The item that a choice belongs to. */
  of: string | null
  available: boolean
  /** When it is on again by itself, in seconds; null: when somebody switches it on. */
  availableAgain: number | null
}

export const menu = signal<readonly Category[] | null>(null)
export const menuFailed = signal(false)

export async function readMenu(): Promise<void> {
  try {
    menu.value = await restaurantApi<Category[]>('menu')
    menuFailed.value = false
  } catch {
    // What is on the page stays; without a menu the view says so and offers to try again.
    menuFailed.value = menu.value === null
  }
}

export const entryOf = (kind: Entry['kind'], one: Item | Choice, of: string | null): Entry => ({
  kind,
  apiKey: one.apiKey,
  name: one.name,
  of,
  available: one.available,
  availableAgain: one.availableAgain,
})

/** Every choice of an item, in the order of the menu; one that several groups share counts once. */
export function choicesOf({ name, customizationGroups }: Item): Entry[] {
  const choices = customizationGroups
    .flatMap(({ customizations }) => customizations)
    .flatMap(({ customizationChoices }) => customizationChoices)
    .map((choice) => entryOf('choice', choice, name))
  return [...new Map(choices.map((choice) => [choice.apiKey, choice])).values()]
}

export const entriesOf = (categories: readonly Category[]): Entry[] =>
  categories
    .flatMap(({ items }) => items)
    .flatMap((item) => [entryOf('item', item, null), ...choicesOf(item)])

/** Puts an item or choice on the menu or takes it off, until a time in seconds or until somebody puts it back. */
export const setAvailability = (entry: Entry, available: boolean, until: number | null): Promise<boolean> =>
  attempt(async () => {
    await restaurantApi(`${entry.kind}/${entry.apiKey}/availability`, {
      body: { available, ...(until !== null && { until }) },
    })
    await readMenu()
  })
