import { sql } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import { AvailabilityOverrides, keysOf } from '#/domain/availability-overrides.ts'
import type { CustomizationGroup, Menu } from '#/domain/menu.ts'
import { menuText } from '#/domain/search.ts'
import { nextVersion, overrides, deleteEndedOverrides } from '#/store/availability-overrides.ts'
import { put, requireInserted } from '#/store/put.ts'
import type { Db } from '#/store/tables.ts'

export type MenuStore = ReturnType<typeof postgresMenus>

/** The columns of `menu_items as item` for an Item. */
export const ITEM = [
  'item.api_key as apiKey',
  'item.name',
  'item.description',
  'item.base_price as basePrice',
  'item.available',
  'item.customization_groups as customizationGroups',
] as const

/** Menus with their overrides. Every method returns null if the restaurant or the item does not exist. */
export const postgresMenus = (db: Db) => ({
  /** A version of a menu always has the same content. */
  async version(restaurantApiKey: string): Promise<number | null> {
    const row = await db
      .selectFrom('restaurants')
      .select('menu_version')
      .where('api_key', '=', restaurantApiKey)
      .executeTakeFirst()
    return row?.menu_version ?? null
  },

  find: (restaurantApiKey: string) => find(db, restaurantApiKey),

  findWithOverrides: (restaurantApiKey: string) => findWithOverrides(db, restaurantApiKey),

  async findCustomizations(
    itemApiKey: string,
  ): Promise<{ version: number; groups: CustomizationGroup[] } | null> {
    const row = await db
      .selectFrom('menu_items as item')
      .innerJoin('restaurants', 'restaurants.api_key', 'item.restaurant_api_key')
      .select(['restaurants.menu_version as version', 'item.customization_groups as groups'])
      .select(overrides)
      .where('item.api_key', '=', itemApiKey)
      .executeTakeFirst()
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
      const { numUpdatedRows } = await trx
        .updateTable('restaurants')
        .set({ menu_version: nextVersion, menu_text: menuText(menu) })
        .where('api_key', '=', restaurantApiKey)
        .executeTakeFirst()
      if (numUpdatedRows === 0n) return { kind: 'no-restaurant', keys: await usedKeys(trx, menu) } as const
      await trx.deleteFrom('menu_categories').where('restaurant_api_key', '=', restaurantApiKey).execute()
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
async function findWithOverrides(db: Db, restaurantApiKey: string) {
  const row = await db
    .selectFrom('restaurants')
    .select('restaurants.menu_version as version')
    .select((eb) =>
      jsonArrayFrom(
        eb
          .selectFrom('menu_categories as category')
          .select(['category.api_key as apiKey', 'category.name', 'category.description'])
          .select((inner) =>
            jsonArrayFrom(
              inner
                .selectFrom('menu_items as item')
                .select(ITEM)
                .whereRef('item.category_api_key', '=', 'category.api_key')
                .orderBy('item.position'),
            ).as('items'),
          )
          .whereRef('category.restaurant_api_key', '=', 'restaurants.api_key')
          .orderBy('category.position'),
      ).as('menu'),
    )
    .select(overrides)
    .where('restaurants.api_key', '=', restaurantApiKey)
    .executeTakeFirst()
  return row ?? null
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
