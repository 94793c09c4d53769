import { sql, type ExpressionBuilder } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import type { MenuKeys, Said } from '#/domain/availability.ts'
import type { Database, Db, Trx } from '#/store/database.ts'

const words = (eb: ExpressionBuilder<Database, 'restaurants'>) =>
  eb
    .selectFrom('availability')
    .select(['availability.kind', 'availability.api_key as apiKey', 'availability.available'])
    .select(sql<number | null>`extract(epoch from availability.until)::bigint`.as('until'))
    .whereRef('availability.restaurant_api_key', '=', 'restaurants.api_key')

/**
 * What the restaurant says of its items and choices. Also what is over and not cleared away yet: a menu's version
 * stands for its bytes, and it is the clearing that raises it.
 */
export const said = (eb: ExpressionBuilder<Database, 'restaurants'>) => jsonArrayFrom(words(eb)).as('said')

/** The same as it is at this moment, for orders. */
export const saidNow = (eb: ExpressionBuilder<Database, 'restaurants'>) =>
  jsonArrayFrom(words(eb).where(sql<boolean>`(availability.until is null or availability.until > now())`)).as(
    'said',
  )

/** The time in milliseconds, or one more than the last version when that is greater: see the first migration. */
export const nextVersion = sql<number>`
  greatest(menu_version + 1, (extract(epoch from clock_timestamp()) * 1000)::bigint)`

export type Spoken = 'said' | 'not-on-the-menu' | 'in-the-past'

/** Notes what the restaurant says, and raises the version of its menu. */
export async function say(trx: Trx, restaurantApiKey: string, word: Said): Promise<Spoken> {
  // The restaurant's row first, as everyone who changes a menu does: its lock puts them one after the other.
  const { rows } = await sql<{ isPast: boolean }>`
    select to_timestamp(${word.until}) <= now() as "isPast" from restaurants
    where api_key = ${restaurantApiKey} for update`.execute(trx)
  const records = await recordsOf(trx, restaurantApiKey, word)
  if (records.length === 0) return 'not-on-the-menu'
  if (rows[0]?.isPast) return 'in-the-past'
  await forget(trx, restaurantApiKey, word)
  // A word that says no more than the records do is not worth keeping.
  if (!word.available || records.some(({ available }) => !available)) await note(trx, restaurantApiKey, word)
  await raise(trx, restaurantApiKey)
  return 'said'
}

const CHOICES = '$[*].customizations[*].customizationChoices[*] ? (@.apiKey == $key).available'

/** What the menu's own records say of it: an item has one, a choice one in each item that has it. */
async function recordsOf(
  trx: Db,
  restaurantApiKey: string,
  { kind, apiKey }: Said,
): Promise<{ available: boolean }[]> {
  const items = trx.selectFrom('menu_items').where('restaurant_api_key', '=', restaurantApiKey)
  if (kind === 'item') return items.where('api_key', '=', apiKey).select('available').execute()
  const { rows } = await sql<{ available: boolean }>`
    select record::boolean as available from menu_items,
      jsonb_path_query(customization_groups, ${CHOICES}::jsonpath, jsonb_build_object('key', ${apiKey}::text)) as record
    where restaurant_api_key = ${restaurantApiKey}`.execute(trx)
  return rows
}

const forget = (trx: Db, restaurantApiKey: string, { kind, apiKey }: Said) =>
  trx
    .deleteFrom('availability')
    .where('restaurant_api_key', '=', restaurantApiKey)
    .where('kind', '=', kind)
    .where('api_key', '=', apiKey)
    .execute()

const note = (trx: Db, restaurantApiKey: string, { kind, apiKey, available, until }: Said) =>
  sql`insert into availability (restaurant_api_key, kind, api_key, available, until)
    values (${restaurantApiKey}, ${kind}, ${apiKey}, ${available}, to_timestamp(${until}))`.execute(trx)

const raise = (trx: Db, restaurantApiKey: string) =>
  trx
    .updateTable('restaurants')
    .set({ menu_version: nextVersion })
    .where('api_key', '=', restaurantApiKey)
    .execute()

/**
 * A new menu: what was said of what is not in it any more is forgotten, and that something can be ordered when the
 * new menu's own record says that it cannot. Everything else that the restaurant said stays.
 */
export async function keepFor(trx: Db, restaurantApiKey: string, { item, choice }: MenuKeys): Promise<void> {
  await sql`
    delete from availability where restaurant_api_key = ${restaurantApiKey} and not case kind
      when 'item' then api_key = any(${item.all}) and not (available and api_key = any(${item.off}))
      else api_key = any(${choice.all}) and not (available and api_key = any(${choice.off})) end`.execute(trx)
}

const CLEARED_AT_ONCE = 100

/**
 * What is over by now, by the database's clock, is available again: its row goes and its menu's version rises, in
 * one commit. A restaurant that another replica is at is left to it. True when there may be more.
 */
export async function clearPast(db: Db): Promise<boolean> {
  const { rows } = await sql`
    with due as (
      select api_key from restaurants
      where api_key in (select restaurant_api_key from availability where until <= now())
      limit ${CLEARED_AT_ONCE} for update skip locked
    ), raised as (
      update restaurants set menu_version = ${nextVersion} where api_key in (select api_key from due) returning api_key
    )
    delete from availability where until <= now() and restaurant_api_key in (select api_key from raised)
    returning restaurant_api_key`.execute(db)
  return rows.length >= CLEARED_AT_ONCE
}

/** Epoch seconds of the end of the pause; null: the restaurant is not paused. */
export const pausedUntil = sql<number | null>`
  case when restaurants.paused_until > now() then ceil(extract(epoch from restaurants.paused_until))::bigint end`

/** Pauses the restaurant for so long from now, or (null) not at all. Undefined when there is no such restaurant. */
export async function pause(
  db: Db,
  restaurantApiKey: string,
  minutes: number | null,
): Promise<{ pausedUntil: number | null } | undefined> {
  const { rows } = await sql<{ pausedUntil: number | null }>`
    update restaurants set paused_until = now() + ${minutes}::integer * interval '1 minute'
    where api_key = ${restaurantApiKey} returning ${pausedUntil} as "pausedUntil"`.execute(db)
  return rows[0]
}
