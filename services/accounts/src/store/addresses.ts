import type { Address } from '@platter/contracts'
import { sql, type ExpressionBuilder } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import type { NotRemoved } from '#/domain/refusals.ts'
import { MAX_ADDRESSES, type NoRoom } from '#/domain/room.ts'
import { addressFields, savingOf } from '#/domain/saving.ts'
import { addWithin } from '#/store/add-within.ts'
import { ownUser, type Owner } from '#/store/own-user.ts'
import { saveWithin } from '#/store/save-within.ts'
import type { Db, Tables, Trx } from '#/store/tables.ts'

/** An address that has a key: of a new one inside an order it may still be null. */
export type SavedAddress = Address & { apiKey: string }

/** The columns that make an Address of a row. */
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

/** The addresses of the user of a query, in the order in which they were added. */
export const addressesOfUser = (eb: ExpressionBuilder<Tables, 'users'>) =>
  jsonArrayFrom(
    eb
      .selectFrom('addresses')
      .select(addressColumns)
      .whereRef('addresses.user_api_key', '=', 'users.api_key')
      .orderBy('addresses.created_at')
      .orderBy('addresses.api_key'),
  )

const countAddresses = async (db: Db, userApiKey: string): Promise<number> => {
  const counted = db.selectFrom('addresses').select(({ fn }) => fn.countAll<number>().as('count'))
  return (await counted.where('user_api_key', '=', userApiKey).executeTakeFirstOrThrow()).count
}

export const addAddress = (trx: Trx, owner: Owner, address: SavedAddress): Promise<'added' | NoRoom> =>
  addWithin(trx, owner, {
    count: () => countAddresses(trx, owner.userApiKey),
    max: MAX_ADDRESSES,
    insert: () => insertAddress(trx, owner.userApiKey, address),
  })

/** What is left of a removed address: migrations/0003 tells why anything is. */
const NOTHING_LEFT = {
  user_api_key: null,
  street_address: '',
  apt_number: null,
  city: '',
  state: '',
  zip: '',
  latitude: null,
  longitude: null,
}

/** Takes the user's address away, and gives it as it was. Of two removals at once the second finds nothing. */
export async function removeAddress(
  trx: Trx,
  owner: Owner,
  addressApiKey: string,
): Promise<Address | NotRemoved> {
  const user = await ownUser(trx, owner).select('users.api_key').executeTakeFirst()
  if (!user) return 'no-such-user'
  const address = await trx
    .selectFrom('addresses')
    .select(addressColumns)
    .where('user_api_key', '=', owner.userApiKey)
    .where('api_key', '=', addressApiKey)
    .forUpdate()
    .executeTakeFirst()
  if (!address) return 'not-there'
  await trx
    .updateTable('addresses')
    .set({ ...NOTHING_LEFT, removed_at: sql<Date>`now()` })
    .where('api_key', '=', addressApiKey)
    .execute()
  return address
}

/** Saves the address of an order, unless the same one is there already or the user has no room for it. */
export const saveAddress = (db: Db, userApiKey: string, address: SavedAddress): Promise<void> =>
  saveWithin(db, userApiKey, {
    decide: async (trx) =>
      savingOf(addressFields(address), await addressesOf(trx, userApiKey), MAX_ADDRESSES),
    insert: (trx) => insertAddress(trx, userApiKey, address),
  })

const addressesOf = (db: Db, userApiKey: string): Promise<Address[]> =>
  db.selectFrom('addresses').select(addressColumns).where('user_api_key', '=', userApiKey).execute()

/** Stores the address unless it is, or was, there already, whatever the user has. */
async function insertAddress(db: Db, userApiKey: string, address: SavedAddress): Promise<void> {
  await db
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
    .execute()
}
