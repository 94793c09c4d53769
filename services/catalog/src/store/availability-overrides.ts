import type { Db } from '@platter/kit'
import { epochOf } from '@platter/kit/postgres/epoch'
import { sql, type RawBuilder } from 'kysely'
import type { AvailabilityOverride, MenuKeys } from '#/domain/availability-overrides.ts'
import { UNTIL_RESUMED } from '#/domain/hours.ts'

type Minutes = number | 'until-resumed' | null

export type AvailabilityStore = ReturnType<typeof postgresAvailability>

const overridesWhere = (
  condition: RawBuilder<unknown>,
) => sql`(select coalesce(json_agg(override), '[]') from (
  select kind, api_key as "apiKey", available, ${epochOf('until')} as until from availability
  where availability.restaurant_api_key = restaurants.api_key and ${condition}) as override) as overrides`

/**
 * Selects the overrides of a restaurant. Expired overrides are included until they are cleared: a version of a menu always has the
 * same bytes, and only `clearExpired` increases the version.
 */
export const overrides = overridesWhere(sql`true`)

/** Selects the overrides that have not expired, for orders. */
export const currentOverrides = overridesWhere(sql`(until is null or until > now())`)

/** The time in milliseconds, or the current version plus one if that is greater (see the first migration). */
export const nextVersion = sql`
  greatest(menu_version + 1, (extract(epoch from clock_timestamp()) * 1000)::bigint)`

/** Epoch seconds of the end of the pause; null if the restaurant is not paused. */
export const pausedUntil = sql`
  case when restaurants.paused_until > now() then ceil(extract(epoch from restaurants.paused_until))::bigint end`

/** A restaurant's own settings: overrides for its items and choices, and its pause. */
export const postgresAvailability = (db: Db) => ({
  /** Stores the override, replaces an earlier one, and increases the menu's version. In the caller's transaction. */
  async override(
    restaurantApiKey: string,
    override: AvailabilityOverride,
  ): Promise<'stored' | 'not-on-the-menu' | 'in-the-past'> {
    const { kind, apiKey, available, until } = override
    // Locks the restaurant's row first, which serializes all writers of the menu and of the overrides.
    const { rows } = await sql<{ isPast: boolean }>`
      select to_timestamp(${until}) <= now() as "isPast" from restaurants
      where api_key = ${restaurantApiKey} for update`.execute(db)
    const records = await recordsOf(db, restaurantApiKey, override)
    if (records.length === 0) return 'not-on-the-menu'
    if (rows[0]?.isPast) return 'in-the-past'
    await sql`
      delete from availability
      where restaurant_api_key = ${restaurantApiKey} and kind = ${kind} and api_key = ${apiKey}`.execute(db)
    // An override that equals the menu's own record is not stored.
    if (!available || records.some((record) => !record.available))
      await sql`insert into availability (restaurant_api_key, kind, api_key, available, until)
        values (${restaurantApiKey}, ${kind}, ${apiKey}, ${available}, to_timestamp(${until}))`.execute(db)
    await sql`
      update restaurants set menu_version = ${nextVersion} where api_key = ${restaurantApiKey}`.execute(db)
    return 'stored'
  },

  /** Pauses the restaurant for `minutes` from now; null ends the pause. Returns undefined if the restaurant does not exist. */
  async pause(
    restaurantApiKey: string,
    minutes: Minutes,
  ): Promise<{ pausedUntil: number | null } | undefined> {
    const { rows } = await sql<{ pausedUntil: number | null }>`
      update restaurants set paused_until = ${endOfPause(minutes)}
      where api_key = ${restaurantApiKey} returning ${pausedUntil} as "pausedUntil"`.execute(db)
    return rows[0]
  },
})

const endOfPause = (minutes: Minutes) =>
  minutes === 'until-resumed'
    ? sql`to_timestamp(${UNTIL_RESUMED})`
    : sql`now() + ${minutes}::integer * interval '1 minute'`

const CHOICES = '$[*].customizations[*].customizationChoices[*] ? (@.apiKey == $key).available'

/** Returns the menu's records that the override applies to: one item, or the choice in each item that has it. */
async function recordsOf(
  db: Db,
  restaurantApiKey: string,
  { kind, apiKey }: AvailabilityOverride,
): Promise<{ available: boolean }[]> {
  const ofItem = sql<{ available: boolean }>`
    select available from menu_items where restaurant_api_key = ${restaurantApiKey} and api_key = ${apiKey}`
  const ofChoice = sql<{ available: boolean }>`
    select record::boolean as available from menu_items,
      jsonb_path_query(customization_groups, ${CHOICES}::jsonpath, jsonb_build_object('key', ${apiKey}::text)) as record
    where restaurant_api_key = ${restaurantApiKey}`
  const { rows } = await (kind === 'item' ? ofItem : ofChoice).execute(db)
  return rows
}

/**
 * Deletes the overrides that a new menu ends: overrides of removed records, and those that make a record available although the new
 * menu makes it unavailable.
 */
export async function deleteEndedOverrides(
  trx: Db,
  restaurantApiKey: string,
  { item, choice }: MenuKeys,
): Promise<void> {
  await sql`
    delete from availability where restaurant_api_key = ${restaurantApiKey} and not case kind
      when 'item' then api_key = any(${item.all}) and not (available and api_key = any(${item.unavailable}))
      else api_key = any(${choice.all}) and not (available and api_key = any(${choice.unavailable})) end`.execute(
    trx,
  )
}

const CLEARED_AT_ONCE = 100

/**
 * Deletes expired overrides by the database's clock, and increases the versions of their menus in the same commit. Skips
 * restaurants that another replica has locked. Returns true if more may be due.
 */
export async function clearExpired(db: Db): Promise<boolean> {
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
