import type { Cents, Point } from '@platter/contracts'
import type { ColumnType, Generated, Kysely } from 'kysely'
import type { Hours } from '#/domain/hours.ts'
import type { CustomizationGroup } from '#/domain/menu.ts'

/** Written as JSON text, because the driver converts a JavaScript array into a PostgreSQL array. */
type Json<T> = ColumnType<T, string, string>

/** The tables of migrations/. */
export type Tables = {
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
    customer_cancel_minutes: number
    min_wait_minutes: number
    max_wait_minutes: number
    hours: Json<Hours>
    time_zone: string
    menu_version: Generated<number>
    search_text: string
    menu_text: Generated<string>
    /** Set only by the database's clock. */
    paused_until: ColumnType<Date | null, never, never>
    created_at: Generated<Date>
    require_attendance: boolean
  }
  attendance: { restaurant_api_key: string; is_attended: boolean; version: number; changed_at: Date }
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
    /** A box, read and written only in SQL. */
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

export type Db = Kysely<Tables>
