import {
  cardTimes,
  NewCardFields,
  type CardDetails,
  type CreditCard,
  type TokenizedCard,
} from '@platter/contracts'
import type { Db } from '@platter/kit'
import { sql } from 'kysely'
import { MAX_CARDS } from '#/domain/refusals.ts'
import { savingOf } from '#/domain/saving.ts'
import { savedRecords } from '#/store/saved-records.ts'

export type CardStore = ReturnType<typeof postgresCards>

export const cardColumns = sql`
  cards.api_key as "apiKey", cards.nickname, cards.cardholder_name as "cardholderName",
  cards.cardholder_street_address as "cardholderStreetAddress", cards.cardholder_zip as "cardholderZip",
  cards.last_four as "lastFour", cards.expiration_month as "expirationMonth", cards.expiration_year as "expirationYear",
  cards.brand`

/** The cards of the row of `users` as JSON, oldest first. */
export const cardsOfUser = sql`(select coalesce(json_agg(card), '[]') from (
  select ${cardColumns} from cards where cards.user_api_key = users.api_key
  order by cards.created_at, cards.api_key) as card)`

const changes = (db: Db) => ({
  insert: (userApiKey: string, card: TokenizedCard) =>
    sql`
      insert into cards (api_key, user_api_key, token, brand, last_four, cardholder_name, cardholder_street_address,
        cardholder_zip, expiration_month, expiration_year, nickname)
      values (${card.apiKey}, ${userApiKey}, ${card.token}, ${card.brand}, ${card.lastFour}, ${card.cardholderName},
        ${card.cardholderStreetAddress}, ${card.cardholderZip}, ${card.expirationMonth}, ${card.expirationYear},
        ${card.nickname})
      on conflict (api_key) do nothing`.execute(db),
  /** One statement moves the token from the card to its detachment. */
  erase: (apiKey: string) =>
    sql`
      with detachment as (
        insert into card_detachments (card_api_key, token, due_at)
        select api_key, token, now() + ${cardTimes.detachment} * interval '1 millisecond' from cards
        where api_key = ${apiKey})
      update cards set removed_at = now(), user_api_key = null, token = '', brand = '', last_four = '',
        cardholder_name = '', cardholder_street_address = '', cardholder_zip = '', expiration_month = '',
        expiration_year = '', nickname = null
      where api_key = ${apiKey}`.execute(db),
})

const isNew = (card: TokenizedCard, saved: readonly CreditCard[]) =>
  savingOf(NewCardFields.parse(card), saved, MAX_CARDS).kind === 'room'

/** The saved cards of users. */
export const postgresCards = (db: Db) => ({
  ...savedRecords(db, {
    name: 'cards',
    max: MAX_CARDS,
    notFound: { code: 'card-not-found', detail: 'The user has no such card.' },
    select: sql<CreditCard>`select ${cardColumns} from cards`,
    changes,
    isNew,
  }),
  /** Sets the processor's details of the saved cards with this token. */
  async setDetails(token: string, details: CardDetails): Promise<void> {
    const { brand, lastFour, expirationMonth, expirationYear } = details
    await sql`
      update cards set brand = ${brand}, last_four = ${lastFour}, expiration_month = ${expirationMonth},
        expiration_year = ${expirationYear}
      where token = ${token} and user_api_key is not null`.execute(db)
  },
})
