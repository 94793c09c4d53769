import { choicesOf, convertChoices, type CustomizationGroup, type Item, type Menu } from '#/domain/menu.ts'

/** A restaurant's setting for one item, or for one choice in all items with that choice. It takes precedence over the menu. */
export type AvailabilityOverride = {
  kind: 'item' | 'choice'
  apiKey: string
  available: boolean
  /** Epoch seconds; null: until the restaurant changes it. */
  until: number | null
}

type Kind = AvailabilityOverride['kind']
type Record = { apiKey: string; available: boolean }

/** The overrides of one restaurant. */
export class AvailabilityOverrides {
  readonly #overrides: ReadonlyMap<string, AvailabilityOverride>

  constructor(overrides: readonly AvailabilityOverride[]) {
    this.#overrides = new Map(overrides.map((override) => [keyOf(override.kind, override.apiKey), override]))
  }

  /** Returns the time at which the record becomes available (epoch, s). Null if it is available, or if the override has no end. */
  availableAgain(kind: Kind, { apiKey, available }: Record): number | null {
    return available ? null : (this.#overrides.get(keyOf(kind, apiKey))?.until ?? null)
  }

  ofMenu(menu: Menu): Menu {
    return menu.map((category) => ({ ...category, items: category.items.map((item) => this.ofItem(item)) }))
  }

  ofItem(item: Item): Item {
    return { ...this.#apply('item', item), customizationGroups: this.ofGroups(item.customizationGroups) }
  }

  ofGroups(groups: readonly CustomizationGroup[]): CustomizationGroup[] {
    return convertChoices(groups, (choice) => this.#apply('choice', choice))
  }

  #apply<R extends Record>(kind: Kind, record: R): R {
    const available = this.#overrides.get(keyOf(kind, record.apiKey))?.available
    return available === undefined ? record : { ...record, available }
  }
}

/** An apiKey contains no colon. */
const keyOf = (kind: Kind, apiKey: string): string => `${kind}:${apiKey}`

/** The apiKeys of a menu. `unavailable` has the records that the menu itself marks as unavailable. */
export type MenuKeys = { [K in Kind]: { all: string[]; unavailable: string[] } }

export function keysOf(menu: Menu): MenuKeys {
  const items = menu.flatMap((category) => category.items)
  const choices = items.flatMap(({ customizationGroups }) => choicesOf(customizationGroups))
  return { item: groupKeys(items), choice: groupKeys(choices) }
}

const groupKeys = (records: readonly Record[]) => ({
  all: [...new Set(records.map(({ apiKey }) => apiKey))],
  unavailable: [...new Set(records.flatMap(({ apiKey, available }) => (available ? [] : [apiKey])))],
})
