import { NewAddressFields, type Address } from '@platter/contracts'
import { sql, type ExpressionBuilder } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import { MAX_ADDRESSES, tooManySaved } from '#/domain/refusals.ts'
import { savingOf } from '#/domain/saving.ts'
import { savedRecords } from '#/store/saved-records.ts'
import type { Db, Tables } from '#/store/tables.ts'

/** An address with its apiKey. The new address of an order has none until it is saved. */
export type SavedAddress = Address & { apiKey: string }

export type AddressStore = ReturnType<typeof postgresAddresses>

export const addressColumns = [
  'addresses.api_key as apiKey',
  'addresses.street_address as streetAddress',
  'addresses.apt_number as aptNumber',
  'addresses.city',
  'addresses.state',
  'addresses.zip',
  'addresses.latitude',
  'addresses.longitude',
] as const

/** Selects the addresses of the query's user, oldest first. */
export const addressesOfUser = (eb: ExpressionBuilder<Tables, 'users'>) =>
  jsonArrayFrom(
    eb
      .selectFrom('addresses')
      .select(addressColumns)
      .whereRef('addresses.user_api_key', '=', 'users.api_key')
      .orderBy('addresses.created_at')
      .orderBy('addresses.api_key'),
  )

const ERASED = {
  user_api_key: null,
  street_address: '',
  apt_number: null,
  city: '',
  state: '',
  zip: '',
  latitude: null,
  longitude: null,
}

const addressesOf = (db: Db, userApiKey: string) =>
  db.selectFrom('addresses').select(addressColumns).where('user_api_key', '=', userApiKey)

const statements = (db: Db) => ({
  list: (userApiKey: string) => addressesOf(db, userApiKey).execute(),
  lock: (userApiKey: string, apiKey: string) =>
    addressesOf(db, userApiKey).where('api_key', '=', apiKey).forUpdate().executeTakeFirst(),
  insert: (userApiKey: string, address: SavedAddress) =>
    db
      .insertInto('addresses')
      .values({
        api_key: address.apiKey,
        user_api_key: userApiKey,
        street_address: address.streetAddress,
        apt_number: address.aptNumber,
        city: address.city,
        state: address.state,
        zip: address.zip,
        latitude: address.latitude,
        longitude: address.longitude,
      })
      .onConflict((conflict) => conflict.column('api_key').doNothing())
      .execute(),
  erase: (apiKey: string) =>
    db
      .updateTable('addresses')
      .set({ ...ERASED, removed_at: sql<Date>`now()` })
      .where('api_key', '=', apiKey)
      .execute(),
})

const isNew = (address: SavedAddress, saved: readonly Address[]) =>
  savingOf(NewAddressFields.parse(address), saved, MAX_ADDRESSES).kind === 'room'

/** The saved addresses of users. */
export const postgresAddresses = (db: Db) =>
  savedRecords(db, {
    max: MAX_ADDRESSES,
    full: tooManySaved('addresses', MAX_ADDRESSES),
    notFound: { code: 'address-not-found', detail: 'The user has no such address.' },
    statements,
    isNew,
  })
