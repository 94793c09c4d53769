import { NewAddressFields, type Address } from '@platter/contracts'
import type { Db } from '@platter/kit'
import { sql } from 'kysely'
import { MAX_ADDRESSES } from '#/domain/refusals.ts'
import { savingOf } from '#/domain/saving.ts'
import { savedRecords } from '#/store/saved-records.ts'

/** An address with its apiKey. The new address of an order has none until it is saved. */
export type SavedAddress = Address & { apiKey: string }

export type AddressStore = ReturnType<typeof postgresAddresses>

export const addressColumns = sql`
  addresses.api_key as "apiKey", addresses.street_address as "streetAddress", addresses.apt_number as "aptNumber",
  addresses.city, addresses.state, addresses.zip, addresses.latitude, addresses.longitude`

/** The addresses of the row of `users` as JSON, oldest first. */
export const addressesOfUser = sql`(select coalesce(json_agg(address), '[]') from (
  select ${addressColumns} from addresses where addresses.user_api_key = users.api_key
  order by addresses.created_at, addresses.api_key) as address)`

const changes = (db: Db) => ({
  insert: (userApiKey: string, address: SavedAddress) =>
    sql`
      insert into addresses (api_key, user_api_key, street_address, apt_number, city, state, zip, latitude, longitude)
      values (${address.apiKey}, ${userApiKey}, ${address.streetAddress}, ${address.aptNumber}, ${address.city},
        ${address.state}, ${address.zip}, ${address.latitude}, ${address.longitude})
      on conflict (api_key) do nothing`.execute(db),
  erase: (apiKey: string) =>
    sql`
      update addresses set removed_at = now(), user_api_key = null, street_address = '', apt_number = null,
        city = '', state = '', zip = '', latitude = null, longitude = null
      where api_key = ${apiKey}`.execute(db),
})

const isNew = (address: SavedAddress, saved: readonly Address[]) =>
  savingOf(NewAddressFields.parse(address), saved, MAX_ADDRESSES).kind === 'room'

/** The saved addresses of users. */
export const postgresAddresses = (db: Db) =>
  savedRecords(db, {
    name: 'addresses',
    max: MAX_ADDRESSES,
    notFound: { code: 'address-not-found', detail: 'The user has no such address.' },
    select: sql<SavedAddress>`select ${addressColumns} from addresses`,
    changes,
    isNew,
  })
