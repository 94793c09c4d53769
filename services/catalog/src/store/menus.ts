import type { Db } from '@platter/kit'
import { sql } from 'kysely'
import { AvailabilityOverrides, keysOf, type AvailabilityOverride } from '#/domain/availability-overrides.ts'
import type { CustomizationGroup, Menu } from '#/domain/menu.ts'
import { menuText } from '#/domain/search.ts'
import { nextVersion, overrides, deleteEndedOverrides } from '#/store/availability-overrides.ts'
import { put, requireInserted } from '#/store/put.ts'

export type MenuStore = ReturnType<typeof postgresMenus>

/** The columns of `menu_items as item` for an Item. */
export const ITEM = sql`
  item.api_key as "apiKey", item.name, item.description, item.base_price as "basePrice", item.available,
  item.customization_groups as "customizationGroups"`

/** The stored menu, without its overrides. */
type Stored = { version: number; menu: Menu; overrides: AvailabilityOverride[] }
type StoredGroups = Pick<Stored, 'version' | 'overrides'> & { groups: CustomizationGroup[] }

/** Menus with their overrides. Every method returns null if the restaurant or the item does not exist. */
export const postgresMenus = (db: Db) => ({
  /** A version of a menu always has the same content. */
  async version(restaurantApiKey: string): Promise<number | null> {
    const { rows } = await sql<{ version: number }>`
      select menu_version as version from restaurants where api_key = ${restaurantApiKey}`.execute(db)
    return rows[0]?.version ?? null
  },

  find: (restaurantApiKey: string) => find(db, restaurantApiKey),

  findWithOverrides: (restaurantApiKey: string) => findWithOverrides(db, restaurantApiKey),

  async findCustomizations(
    itemApiKey: string,
  ): Promise<{ version: number; groups: CustomizationGroup[] } | null> {
    const { rows } = await sql<StoredGroups>`
      select menu_version as version, item.customization_groups as groups, ${overrides}
      from menu_items as item join restaurants on restaurants.api_key = item.restaurant_api_key
      where item.api_key = ${itemApiKey}`.execute(db)
    const [row] = rows
    if (!row) return null
    return { version: row.version, groups: new AvailabilityOverrides(row.overrides).ofGroups(row.groups) }
  },

  /**
   * Replaces the restaurant's menu, increases its version, and returns it with its overrides. Overrides of records that remain on the
   * menu are kept (`deleteEndedOverrides`).
   */
  put: (restaurantApiKey: string, menu: Menu, options = { validateOnly: false }) =>
    put(db, options, async (trx) => {
      // Locks the restaurant's row first, which serializes all writers of the menu and of the overrides.
      const { numAffectedRows } = await sql`
        update restaurants set menu_version = ${nextVersion}, menu_text = ${menuText(menu)}
        where api_key = ${restaurantApiKey}`.execute(trx)
      if (numAffectedRows === 0n) return { kind: 'no-restaurant', keys: await usedKeys(trx, menu) } as const
      await sql`delete from menu_categories where restaurant_api_key = ${restaurantApiKey}`.execute(trx)
      await insertCategories(trx, restaurantApiKey, menu)
      await insertItems(trx, restaurantApiKey, menu)
      await deleteEndedOverrides(trx, restaurantApiKey, keysOf(menu))
      return { kind: 'written', menu: (await find(trx, restaurantApiKey))?.menu ?? menu } as const
    }),
})

async function find(db: Db, restaurantApiKey: string) {
  const found = await findWithOverrides(db, restaurantApiKey)
  if (!found) return null
  return { version: found.version, menu: new AvailabilityOverrides(found.overrides).ofMenu(found.menu) }
}

/** Returns the menu without its overrides, and the overrides, from one snapshot: one statement reads both. */
async function findWithOverrides(db: Db, restaurantApiKey: string): Promise<Stored | null> {
  const { rows } = await sql<Stored>`
    select menu_version as version, ${overrides}, (select coalesce(json_agg(category), '[]') from (
      select category.api_key as "apiKey", category.name, category.description, (
        select coalesce(json_agg(item), '[]') from (
          select ${ITEM} from menu_items as item where item.category_api_key = category.api_key
          order by item.position) as item) as items
      from menu_categories as category where category.restaurant_api_key = restaurants.api_key
      order by category.position) as category) as menu
    from restaurants where restaurants.api_key = ${restaurantApiKey}`.execute(db)
  return rows[0] ?? null
}

/** Returns the apiKeys of the menu that a stored menu has. */
async function usedKeys(db: Db, menu: Menu): Promise<ReadonlySet<string>> {
  const categories = menu.map(({ apiKey }) => apiKey)
  const items = menu.flatMap((category) => category.items.map(({ apiKey }) => apiKey))
  const { rows } = await sql<{ api_key: string }>`
    select api_key from menu_categories where api_key = any(${categories})
    union all
    select api_key from menu_items where api_key = any(${items})`.execute(db)
  return new Set(rows.map(({ api_key }) => api_key))
}

// One statement for all records, in the order of their keys: this prevents deadlocks between two writers.

async function insertCategories(trx: Db, restaurantApiKey: string, menu: Menu): Promise<void> {
  const categories = menu.map(({ items: _items, ...category }, position) => ({ ...category, position }))
  const { rows: inserted } = await sql<{ api_key: string }>`
    insert into menu_categories (api_key, restaurant_api_key, position, name, description)
    select "apiKey", ${restaurantApiKey}, position, name, description
    from jsonb_to_recordset(${JSON.stringify(categories)}::jsonb) as category (
      "apiKey" text, position integer, name text, description text)
    order by "apiKey"
    on conflict (api_key) do nothing
    returning api_key`.execute(trx)
  requireInserted(categories, inserted)
}

async function insertItems(trx: Db, restaurantApiKey: string, menu: Menu): Promise<void> {
  const items = menu.flatMap((category) =>
    category.items.map((item, position) => ({ ...item, categoryApiKey: category.apiKey, position })),
  )
  const { rows: inserted } = await sql<{ api_key: string }>`
    insert into menu_items (api_key, restaurant_api_key, category_api_key, position, name, description,
      base_price, available, customization_groups)
    select "apiKey", ${restaurantApiKey}, "categoryApiKey", position, name, description,
      "basePrice", available, "customizationGroups"
    from jsonb_to_recordset(${JSON.stringify(items)}::jsonb) as item (
      "apiKey" text, "categoryApiKey" text, position integer, name text, description text,
      "basePrice" integer, available boolean, "customizationGroups" jsonb)
    order by "apiKey"
    on conflict (api_key) do nothing
    returning api_key`.execute(trx)
  requireInserted(items, inserted)
}
