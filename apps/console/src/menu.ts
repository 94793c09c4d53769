import type { OwnCategory } from '@platter/contracts'
import { signal } from '@preact/signals'
import { attempt } from '#/attempt.ts'
import { restaurantApi } from '#/api.ts'

export type Item = OwnCategory['items'][number]
type Choice = Item['customizationGroups'][number]['customizations'][number]['customizationChoices'][number]

/** An entry that can be switched off: an item, or a choice of one. */
export type Entry = Pick<Item, 'apiKey' | 'name' | 'available' | 'availableAgain'> & {
  kind: 'item' | 'choice'
  /** The item that a choice belongs to. */
  of: string | null
}

export const menu = signal<readonly OwnCategory[] | null>(null)
export const menuFailed = signal(false)

export async function readMenu(): Promise<void> {
  try {
    menu.value = await restaurantApi<OwnCategory[]>('menu')
    menuFailed.value = false
  } catch {
    // The page keeps the previous menu. Without one, the view shows the failure and a button to try again.
    menuFailed.value = menu.value === null
  }
}

export const entryOf = (kind: Entry['kind'], one: Item | Choice, of: string | null): Entry => ({
  ...one,
  kind,
  of,
})

/** Returns all choices of an item in the order of the menu. A choice that several groups share appears once. */
export function choicesOf({ name, customizationGroups }: Item): Entry[] {
  const choices = customizationGroups
    .flatMap(({ customizations }) => customizations)
    .flatMap(({ customizationChoices }) => customizationChoices)
    .map((choice) => entryOf('choice', choice, name))
  return [...new Map(choices.map((choice) => [choice.apiKey, choice])).values()]
}

export const entriesOf = (categories: readonly OwnCategory[]): Entry[] =>
  categories
    .flatMap(({ items }) => items)
    .flatMap((item) => [entryOf('item', item, null), ...choicesOf(item)])

/** Switches an item or choice on, or off until a time in seconds; null: until it is switched on manually. */
export const setAvailability = (
  entry: Entry,
  { available, until }: { available: boolean; until: number | null },
): Promise<boolean> =>
  attempt(async () => {
    await restaurantApi(`${entry.kind}/${entry.apiKey}/availability`, {
      body: { available, ...(until !== null && { until }) },
    })
    await readMenu()
  })
