import { jsonObjectFrom } from 'kysely/helpers/postgres'
import type { Found } from '#/domain/resolution.ts'
import { addressColumns } from './addresses.ts'
import { cardColumns } from './cards.ts'
import { ownUser, type Owner } from './own-user.ts'
import type { Db } from './tables.ts'

/** The user with that card and that address of the user's own, in one round trip; undefined when there is no such user. */
export async function findRecipient(
  db: Db,
  owner: Owner,
  { cardApiKey, addressApiKey }: { cardApiKey: string | null; addressApiKey: string | null },
): Promise<Found | undefined> {
  const user = await ownUser(db, owner)
    .select((eb) => [
      'users.first_name as firstName',
      'users.last_name as lastName',
      'users.phone',
      'users.email',
      jsonObjectFrom(
        eb
          .selectFrom('cards')
          .select([...cardColumns, 'cards.token'])
          .whereRef('cards.user_api_key', '=', 'users.api_key')
          .where('cards.api_key', '=', cardApiKey),
      ).as('card'),
      jsonObjectFrom(
        eb
          .selectFrom('addresses')
          .select(addressColumns)
          .whereRef('addresses.user_api_key', '=', 'users.api_key')
          .where('addresses.api_key', '=', addressApiKey),
      ).as('address'),
    ])
    .executeTakeFirst()
  if (!user) return undefined
  const { card, address, ...recipient } = user
  return { recipient, card, address }
}
