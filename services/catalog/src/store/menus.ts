import { sql } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import { Availability, keysOf, type Said } from '#/domain/availability.ts'
import { menuText, type CustomizationGroup, type Menu } from '#/domain/menu.ts'
import { keepFor, nextVersion, said } from '#/store/availability.ts'
import { KeysTaken, requireInserted, type Db, type Written } from '#/store/database.ts'
import { inTransaction } from '#/store/validating.ts'

/** Columns of `menu_items as item`: an Item, as the domain knows it. */
export const ITEM = [
  'item.api_key as apiKey',
  'item.name',
  'item.description',
  'item.base_price as basePrice',
  'item.available',
  'item.customization_groups as customizationGroups',
] as const

// Read -----------------------------------------------------------------------------------------------------

/** The version of the restaurant's menu; null when there is no such restaurant. */
export async function menuVersion(db: Db, restaurantApiKey: string): Promise<number | null> {
  const row = await db
    .selectFrom('restaurants')
    .select('menu_version')
    .where('api_key', '=', restaurantApiKey)
    .executeTakeFirst()
  return row?.menu_version ?? null
}

/** The menu as it can be ordered, and its version. */
export async function findMenu(
  db: Db,
  restaurantApiKey: string,
): Promise<{ version: number; menu: Menu } | null> {
  const found = await findMenuAndSaid(db, restaurantApiKey)
  return found && { version: found.version, menu: new Availability(found.said).ofMenu(found.menu) }
}

/** The menu's own records and what the restaurant says, of one and the same moment: one statement sees one state of the tables. */
export async function findMenuAndSaid(
  db: Db,
  restaurantApiKey: string,
): Promise<{ version: number; menu: Menu; said: Said[] } | null> {
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
    .select(said)
    .where('restaurants.api_key', '=', restaurantApiKey)
    .executeTakeFirst()
  return row ?? null
}

/** What an item may be ordered with, and the version of the menu that says so; null when there is no such item. */
export async function findCustomizations(
  db: Db,
  itemApiKey: string,
): Promise<{ version: number; groups: CustomizationGroup[] } | null> {
  const row = await db
    .selectFrom('menu_items as item')
    .innerJoin('restaurants', 'restaurants.api_key', 'item.restaurant_api_key')
    .select(['restaurants.menu_version as version', 'item.customization_groups as groups'])
    .select(said)
    .where('item.api_key', '=', itemApiKey)
    .executeTakeFirst()
  return row ? { version: row.version, groups: new Availability(row.said).ofGroups(row.groups) } : null
}

// Write ----------------------------------------------------------------------------------------------------

type NoRestaurant = { kind: 'no-restaurant' }

class RestaurantMissing extends Error {}

/** Swaps the restaurant's menu for this one and raises its version, in one transaction. */
export async function putMenu(
  db: Db,
  restaurantApiKey: string,
  menu: Menu,
  options = { validateOnly: false },
): Promise<Written<NoRestaurant>> {
  try {
    await inTransaction(db, options, (trx) => swap(trx, restaurantApiKey, menu))
    return { kind: 'written' }
  } catch (error) {
    if (error instanceof KeysTaken) return { kind: 'taken', keys: error.keys }
    if (error instanceof RestaurantMissing) return { kind: 'no-restaurant' }
    throw error
  }
}

async function swap(trx: Db, restaurantApiKey: string, menu: Menu): Promise<void> {
  // First the restaurant's row: its lock puts two writers of one menu one after the other.
  const { numUpdatedRows } = await trx
    .updateTable('restaurants')
    .set({ menu_version: nextVersion, menu_text: menuText(menu) })
    .where('api_key', '=', restaurantApiKey)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw new RestaurantMissing()
  await trx.deleteFrom('menu_categories').where('restaurant_api_key', '=', restaurantApiKey).execute()
  await insertCategories(trx, restaurantApiKey, menu)
  await insertItems(trx, restaurantApiKey, menu)
  await keepFor(trx, restaurantApiKey, keysOf(menu))
}

// One statement for all rows whatever their number. In order of the keys, so that two writers never wait
// for each other.

async function insertCategories(trx: Db, restaurantApiKey: string, menu: Menu): Promise<void> {
  const rows = menu.map(({ apiKey, name, description }, position) => ({
    apiKey,
    position,
    name,
    description,
  }))
  const { rows: inserted } = await sql<{ api_key: string }>`
    insert into menu_categories (api_key, restaurant_api_key, position, name, description)
    select "apiKey", ${restaurantApiKey}, position, name, description
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as category (
      "apiKey" text, position integer, name text, description text)
    order by "apiKey"
    on conflict (api_key) do nothing
    returning api_key`.execute(trx)
  requireInserted(
    rows.map(({ apiKey }) => apiKey),
    inserted,
  )
}

async function insertItems(trx: Db, restaurantApiKey: string, menu: Menu): Promise<void> {
  const rows = menu.flatMap(({ apiKey: categoryApiKey, items }) =>
    items.map((item, position) => ({ ...item, categoryApiKey, position })),
  )
  const { rows: inserted } = await sql<{ api_key: string }>`
    insert into menu_items (api_key, restaurant_api_key, category_api_key, position, name, description,
      base_price, available, customization_groups)
    select "apiKey", ${restaurantApiKey}, "categoryApiKey", position, name, description,
      "basePrice", available, "customizationGroups"
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as item (
      "apiKey" text, "categoryApiKey" text, position integer, name text, description text,
      "basePrice" integer, available boolean, "customizationGroups" jsonb)
    order by "apiKey"
    on conflict (api_key) do nothing
    returning api_key`.execute(trx)
  requireInserted(
    rows.map(({ apiKey }) => apiKey),
    inserted,
  )
}
