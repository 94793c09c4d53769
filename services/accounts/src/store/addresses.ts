import type { Address } from '@platter/contracts'
import { MAX_ADDRESSES, type NoRoom } from '#/domain/room.ts'
import { addWithin } from './add-within.ts'
import type { Owner } from './own-user.ts'
import type { Db } from './tables.ts'

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

const countAddresses = async (db: Db, userApiKey: string): Promise<number> => {
  const counted = db.selectFrom('addresses').select(({ fn }) => fn.countAll<number>().as('count'))
  return (await counted.where('user_api_key', '=', userApiKey).executeTakeFirstOrThrow()).count
}

export const addAddress = (db: Db, owner: Owner, address: SavedAddress): Promise<'added' | NoRoom> =>
  addWithin(db, owner, {
    count: (trx) => countAddresses(trx, owner.userApiKey),
    max: MAX_ADDRESSES,
    insert: (trx) => saveAddress(trx, owner.userApiKey, address),
  })

/** Stores the address unless it is there already, whatever the user has. */
export async function saveAddress(db: Db, userApiKey: string, address: SavedAddress): Promise<void> {
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
