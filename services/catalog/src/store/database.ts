import type { Cents, Point } from '@platter/contracts'
import type { ColumnType, Generated, Kysely, Transaction } from 'kysely'
import type { Hours } from '#/domain/hours.ts'
import type { CustomizationGroup } from '#/domain/menu.ts'

/** Written as JSON text: a JavaScript array as a parameter becomes a PostgreSQL array. */
type Json<T> = ColumnType<T, string, string>

/** The tables of migrations/, column by column. */
export type Database = {
  restaurants: {
    api_key: string
    name: string
    logo_url: string
    url: string
    street_address: string
    city: string
    state: string
    zip: string
    latitude: number
    longitude: number
    phone: string
    food_types: string[]
    delivery_min: Cents
    delivery_price: Cents
    min_free_delivery: Cents | null
    tax_rate_ppm: number
    accepts_cash: boolean
    accepts_card: boolean
    offers_pickup: boolean
    offers_delivery: boolean
    is_test: boolean
    min_wait_minutes: number
    max_wait_minutes: number
    hours: Json<Hours>
    time_zone: string
    menu_version: Generated<number>
    search_text: string
    menu_text: Generated<string>
    /** Set by the database's clock only. */
    paused_until: ColumnType<Date | null, never, never>
    created_at: Generated<Date>
  }
  availability: {
    restaurant_api_key: string
    kind: 'item' | 'choice'
    api_key: string
    available: boolean
    until: ColumnType<Date | null, never, never>
  }
  delivery_zones: {
    api_key: string
    restaurant_api_key: string
    position: number
    description: string | null
    zips: string[] | null
    polygon: Json<Point[] | null>
    hole: Json<Point[] | null>
    max_radius_miles: number | null
    delivery_min: Cents
    delivery_price: Cents
    /** Used by SQL only. */
    bounds: string | null
  }
  menu_categories: {
    api_key: string
    restaurant_api_key: string
    position: number
    name: string
    description: string | null
  }
  menu_items: {
    api_key: string
    restaurant_api_key: string
    category_api_key: string
    position: number
    name: string
    description: string | null
    base_price: Cents
    available: boolean
    customization_groups: Json<CustomizationGroup[]>
  }
}

export type Db = Kysely<Database>

/** Asked for by what takes a lock, or by what has to be committed together with the request's idempotency key. */
export type Trx = Transaction<Database>

/** What became of a write that brings keys along. Keys of another restaurant: nothing was written. */
export type Written<R> = { kind: 'written' } | { kind: 'taken'; keys: ReadonlySet<string> } | R

/** Ends a transaction: nothing of it is to be kept. Never leaves the store. */
export class KeysTaken extends Error {
  readonly keys: ReadonlySet<string>
  constructor(keys: ReadonlySet<string>) {
    super('keys belong to another restaurant')
    this.keys = keys
  }
}

/** Throws KeysTaken for the keys that were not inserted, because somebody else has them. */
export function requireInserted(wanted: readonly string[], inserted: readonly { api_key: string }[]): void {
  if (inserted.length === wanted.length) return
  const there = new Set(inserted.map(({ api_key }) => api_key))
  throw new KeysTaken(new Set(wanted.filter((key) => !there.has(key))))
}
