import { ApiKey } from '@platter/contracts'
import type { PageRange } from '@platter/kit'
import { sql, type Generated, type GeneratedAlways, type Kysely } from 'kysely'
import { z } from 'zod'

type ApplicationRow = { id: string; name: string; created_at: Generated<Date> }

type AccessKeyRow = {
  id: string
  hash: string
  prefix: string | null
  kind: 'application' | 'restaurant' | 'operator'
  application_id: string | null
  restaurant_api_key: string | null
  created_at: Generated<Date>
  last_used_at: Date | null
  revoked_at: Date | null
  expires_at: Date | null
  lineage_id: string | null
  imported: Generated<boolean>
}

type UserRow = {
  api_key: string
  email: string
  email_key: GeneratedAlways<string>
  password_hash: string
  first_name: string
  last_name: string
  phone: string
  created_at: Generated<Date>
}

type CardRow = {
  api_key: string
  user_api_key: string | null
  token: string
  brand: string
  last_four: string
  cardholder_name: string
  cardholder_street_address: string
  cardholder_zip: string
  expiration_month: string
  expiration_year: string
  nickname: string | null
  created_at: Generated<Date>
  removed_at: Date | null
}

type CardDetachmentRow = {
  card_api_key: string
  token: string
  due_at: Date
  attempts: Generated<number>
}

type AddressRow = {
  api_key: string
  user_api_key: string | null
  street_address: string
  apt_number: string | null
  city: string
  state: string
  zip: string
  latitude: number | null
  longitude: number | null
  created_at: Generated<Date>
  removed_at: Date | null
}

/** The tables of migrations/, except the idempotency keys, which belong to kit. */
export type Tables = {
  applications: ApplicationRow
  access_keys: AccessKeyRow
  users: UserRow
  user_applications: { user_api_key: string; application_id: string }
  cards: CardRow
  card_detachments: CardDetachmentRow
  addresses: AddressRow
}

export type Db = Kysely<Tables>

/** The tenant-scoped connection of a client application. */
export type TenantDb = (applicationId: string) => Db

/** Selects a time in epoch seconds, rounded down. A cast rounds to the nearest second, which may be in the future. */
export const epochOf = <N extends number | null = number>(column: string) =>
  // eslint-disable-next-line no-restricted-properties -- callers name columns of this schema
  sql<N>`floor(extract(epoch from ${sql.ref(column)}))::int8`

export const createdEpoch = epochOf('created_at')

/** The end of a page: the creation time in microseconds. The id orders rows with an equal time. */
export const Position = z.object({ at: z.int(), id: ApiKey })
type Position = z.infer<typeof Position>

export const positionOf = ({ at, id }: Position): Position => ({ at, id })

export type Range = PageRange<Position>

export const createdMicroseconds = sql<number>`(extract(epoch from created_at) * 1000000)::int8`

/** For lists with the newest row first: matches the rows after the position, or all rows for null. */
export const after = (position: Position | null) =>
  position === null
    ? sql<boolean>`true`
    : sql<boolean>`(created_at, id) < (timestamptz 'epoch' + ${position.at}::int8 * interval '1 microsecond', ${position.id})`
