import type { Choice, CustomizationGroup, Item, Menu } from '#/domain/menu.ts'

/** What a restaurant itself said of an item, or of a choice wherever it occurs. */
export type Said = {
  kind: 'item' | 'choice'
  apiKey: string
  available: boolean
  /** Epoch seconds; null: until the restaurant says otherwise. */
  until: number | null
}

/** The last word on what can be ordered: what the restaurant says goes before what the menu's record says. */
export class Availability {
  readonly #said: ReadonlyMap<string, Said>

  constructor(said: readonly Said[]) {
    this.#said = new Map(said.map((one) => [keyOf(one.kind, one.apiKey), one]))
  }

  /** When it can be ordered again (epoch, s), or null when nobody knows or it can be ordered. */
  again(kind: Said['kind'], { apiKey, available }: { apiKey: string; available: boolean }): number | null {
    return available ? null : (this.#said.get(keyOf(kind, apiKey))?.until ?? null)
  }

  ofMenu(menu: Menu): Menu {
    return menu.map((category) => ({ ...category, items: category.items.map((item) => this.ofItem(item)) }))
  }

  ofItem(item: Item): Item {
    return {
      ...this.#heard('item', item),
      customizationGroups: this.ofGroups(item.customizationGroups),
    }
  }

  ofGroups(groups: readonly CustomizationGroup[]): CustomizationGroup[] {
    return groups.map((group) => ({
      ...group,
      customizations: group.customizations.map((customization) => ({
        ...customization,
        customizationChoices: customization.customizationChoices.map((choice) =>
          this.#heard('choice', choice),
        ),
      })),
    }))
  }

  #heard<T extends Item | Choice>(kind: Said['kind'], record: T): T {
    const available = this.#said.get(keyOf(kind, record.apiKey))?.available
    return available === undefined ? record : { ...record, available }
  }
}

/** An apiKey has no colon. */
const keyOf = (kind: Said['kind'], apiKey: string): string => `${kind}:${apiKey}`

/** The keys of a menu, and those whose own record says that they are not available. */
export type MenuKeys = Record<Said['kind'], { all: string[]; off: string[] }>

export function keysOf(menu: Menu): MenuKeys {
  const items = menu.flatMap((category) => category.items)
  const choices = items.flatMap(({ customizationGroups }) =>
    customizationGroups.flatMap(({ customizations }) =>
      customizations.flatMap(({ customizationChoices }) => customizationChoices),
    ),
  )
  return { item: allAndOff(items), choice: allAndOff(choices) }
}

const allAndOff = (records: readonly { apiKey: string; available: boolean }[]) => ({
  all: [...new Set(records.map(({ apiKey }) => apiKey))],
  off: [...new Set(records.flatMap(({ apiKey, available }) => (available ? [] : [apiKey])))],
})
