import type { AccountsResolve, CreditCard, Recipient, TokenizedCard } from '@platter/contracts'
import type { Db } from '@platter/kit'
import { sql } from 'kysely'
import type { z } from 'zod'
import { MAX_ADDRESSES, MAX_CARDS } from '#/domain/refusals.ts'
import type { Found } from '#/domain/resolution.ts'
import { savingOf } from '#/domain/saving.ts'
import { addressColumns, addressesOfUser, type SavedAddress } from '#/store/addresses.ts'
import { cardColumns, cardsOfUser } from '#/store/cards.ts'
import { isOwner, type Owner } from '#/store/tenant-user.ts'

type Request = Omit<z.output<typeof AccountsResolve.data>, 'applicationId' | 'recipientApiKey'>

/** `cards`, `addresses`: null without a new record to compare. */
type Row = Recipient & {
  card: TokenizedCard | null
  address: SavedAddress | null
  cards: CreditCard[] | null
  addresses: SavedAddress[] | null
}

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
    const { rows } = await sql<Row>`
      select users.first_name as "firstName", users.last_name as "lastName", users.phone, users.email,
        (select to_json(card) from (select ${cardColumns}, cards.token from cards
          where cards.user_api_key = users.api_key and cards.api_key = ${cardApiKey}) as card) as card,
        (select to_json(address) from (select ${addressColumns} from addresses
          where addresses.user_api_key = users.api_key and addresses.api_key = ${addressApiKey}) as address) as address,
        ${newCard ? cardsOfUser : sql`null`} as cards, ${newAddress ? addressesOfUser : sql`null`} as addresses
      from users where ${isOwner(owner)}`.execute(db)
    const [user] = rows
    if (!user) return undefined
    const { card, address, cards, addresses, ...recipient } = user
    return {
      recipient,
      card,
      address,
      newCard: newCard && savingOf(newCard, cards ?? [], MAX_CARDS),
      newAddress: newAddress && savingOf(newAddress, addresses ?? [], MAX_ADDRESSES),
    }
  },
})
