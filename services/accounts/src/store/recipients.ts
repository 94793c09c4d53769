import type { AccountsResolve } from '@platter/contracts'
import { jsonObjectFrom } from 'kysely/helpers/postgres'
import type { z } from 'zod'
import { MAX_ADDRESSES, MAX_CARDS } from '#/domain/refusals.ts'
import type { Found } from '#/domain/resolution.ts'
import { savingOf } from '#/domain/saving.ts'
import { addressColumns, addressesOfUser } from '#/store/addresses.ts'
import { cardColumns, cardsOfUser } from '#/store/cards.ts'
import type { Db } from '#/store/tables.ts'
import { userOfTenant, type Owner } from '#/store/tenant-user.ts'

type Request = Omit<z.output<typeof AccountsResolve.data>, 'applicationId' | 'recipientApiKey'>

export type RecipientStore = ReturnType<typeof postgresRecipients>

export const postgresRecipients = (db: Db) => ({
  /**
   * Returns the user with one saved card and one saved address, and how the new records are saved, in one statement. Undefined if
   * the application has no such user.
   */
  async find(
    owner: Owner,
    { cardApiKey, addressApiKey, newCard, newAddress }: Request,
  ): Promise<Found | undefined> {
    const user = await userOfTenant(db, owner)
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
      .$if(newCard !== null, (query) => query.select((eb) => cardsOfUser(eb).as('cards')))
      .$if(newAddress !== null, (query) => query.select((eb) => addressesOfUser(eb).as('addresses')))
      .executeTakeFirst()
    if (!user) return undefined
    const { card, address, cards = [], addresses = [], ...recipient } = user
    return {
      recipient,
      card,
      address,
      newCard: newCard && savingOf(newCard, cards, MAX_CARDS),
      newAddress: newAddress && savingOf(newAddress, addresses, MAX_ADDRESSES),
    }
  },
})
