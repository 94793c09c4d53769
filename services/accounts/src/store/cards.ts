import {
  cardTimes,
  NewCardFields,
  type CardDetails,
  type CreditCard,
  type TokenizedCard,
} from '@platter/contracts'
import { Problem } from '@platter/kit'
import { sql, type ExpressionBuilder } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import { MAX_CARDS, tooManySaved, USER_NOT_FOUND } from '#/domain/refusals.ts'
import { savingOf } from '#/domain/saving.ts'
import { savedRecords } from '#/store/saved-records.ts'
import type { Db, Tables } from '#/store/tables.ts'
import { userOfTenant, type Owner } from '#/store/tenant-user.ts'

export type CardStore = ReturnType<typeof postgresCards>

export const cardColumns = [
  'cards.api_key as apiKey',
  'cards.nickname',
  'cards.cardholder_name as cardholderName',
  'cards.cardholder_street_address as cardholderStreetAddress',
  'cards.cardholder_zip as cardholderZip',
  'cards.last_four as lastFour',
  'cards.expiration_month as expirationMonth',
  'cards.expiration_year as expirationYear',
  'cards.brand',
] as const

/** Selects the cards of the query's user, oldest first. */
export const cardsOfUser = (eb: ExpressionBuilder<Tables, 'users'>) =>
  jsonArrayFrom(
    eb
      .selectFrom('cards')
      .select(cardColumns)
      .whereRef('cards.user_api_key', '=', 'users.api_key')
      .orderBy('cards.created_at')
      .orderBy('cards.api_key'),
  )

const ERASED = {
  user_api_key: null,
  token: '',
  brand: '',
  last_four: '',
  cardholder_name: '',
  cardholder_street_address: '',
  cardholder_zip: '',
  expiration_month: '',
  expiration_year: '',
  nickname: null,
}

const DETACHED_AT = sql<Date>`now() + ${cardTimes.detachment} * interval '1 millisecond'`

const cardsOf = (db: Db, userApiKey: string) =>
  db.selectFrom('cards').select(cardColumns).where('user_api_key', '=', userApiKey)

const statements = (db: Db) => ({
  list: (userApiKey: string) => cardsOf(db, userApiKey).execute(),
  lock: (userApiKey: string, apiKey: string) =>
    cardsOf(db, userApiKey).where('api_key', '=', apiKey).forUpdate().executeTakeFirst(),
  insert: (userApiKey: string, card: TokenizedCard) =>
    db
      .insertInto('cards')
      .values({
        api_key: card.apiKey,
        user_api_key: userApiKey,
        token: card.token,
        brand: card.brand,
        last_four: card.lastFour,
        cardholder_name: card.cardholderName,
        cardholder_street_address: card.cardholderStreetAddress,
        cardholder_zip: card.cardholderZip,
        expiration_month: card.expirationMonth,
        expiration_year: card.expirationYear,
        nickname: card.nickname,
      })
      .onConflict((conflict) => conflict.column('api_key').doNothing())
      .execute(),
  /** One statement moves the token from the card to its detachment. */
  erase: (apiKey: string) =>
    db
      .with('detachment', (query) =>
        query
          .insertInto('card_detachments')
          .columns(['card_api_key', 'token', 'due_at'])
          .expression((eb) =>
            eb
              .selectFrom('cards')
              .select(['api_key', 'token', DETACHED_AT.as('due_at')])
              .where('api_key', '=', apiKey),
          ),
      )
      .updateTable('cards')
      .set({ ...ERASED, removed_at: sql<Date>`now()` })
      .where('api_key', '=', apiKey)
      .execute(),
})

const isNew = (card: TokenizedCard, saved: readonly CreditCard[]) =>
  savingOf(NewCardFields.parse(card), saved, MAX_CARDS).kind === 'room'

const FULL = tooManySaved('cards', MAX_CARDS)

/** The saved cards of users. */
export const postgresCards = (db: Db) => ({
  ...savedRecords(db, {
    max: MAX_CARDS,
    full: FULL,
    notFound: { code: 'card-not-found', detail: 'The user has no such card.' },
    statements,
    isNew,
  }),
  /** Throws the Problem that `add` would throw now. Only `add` decides, because it checks again under a lock. */
  async checkCapacity(owner: Owner): Promise<void> {
    const user = await userOfTenant(db, owner).select('users.api_key').executeTakeFirst()
    if (!user) throw Problem.refusal(USER_NOT_FOUND)
    if ((await cardsOf(db, owner.userApiKey).execute()).length >= MAX_CARDS) throw Problem.refusal(FULL)
  },
  /** Sets the processor's details of the saved cards with this token. */
  async setDetails(token: string, details: CardDetails): Promise<void> {
    const { brand, lastFour, expirationMonth, expirationYear } = details
    await db
      .updateTable('cards')
      .set({
        brand,
        last_four: lastFour,
        expiration_month: expirationMonth,
        expiration_year: expirationYear,
      })
      .where('token', '=', token)
      .where('user_api_key', 'is not', null)
      .execute()
  },
})
