import type { CreditCard, TokenizedCard } from '@platter/contracts'
import { sql, type ExpressionBuilder } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import type { NotRemoved } from '#/domain/refusals.ts'
import { MAX_CARDS, type NoRoom } from '#/domain/room.ts'
import { cardFields, savingOf } from '#/domain/saving.ts'
import { addWithin } from '#/store/add-within.ts'
import { ownUser, type Owner } from '#/store/own-user.ts'
import { saveWithin } from '#/store/save-within.ts'
import type { Db, Tables, Trx } from '#/store/tables.ts'

/** The columns that make a CreditCard of a row. */
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

/** The cards of the user of a query, in the order in which they were added. */
export const cardsOfUser = (eb: ExpressionBuilder<Tables, 'users'>) =>
  jsonArrayFrom(
    eb
      .selectFrom('cards')
      .select(cardColumns)
      .whereRef('cards.user_api_key', '=', 'users.api_key')
      .orderBy('cards.created_at')
      .orderBy('cards.api_key'),
  )

const countCards = async (db: Db, userApiKey: string): Promise<number> => {
  const counted = db.selectFrom('cards').select(({ fn }) => fn.countAll<number>().as('count'))
  return (await counted.where('user_api_key', '=', userApiKey).executeTakeFirstOrThrow()).count
}

/** Whether the user has room for another card right now. Only `addCard`, which asks again under a lock, can be sure. */
export async function roomForCard(db: Db, owner: Owner): Promise<'free' | NoRoom> {
  const user = await ownUser(db, owner).select('users.api_key').executeTakeFirst()
  if (!user) return 'no-such-user'
  return (await countCards(db, owner.userApiKey)) < MAX_CARDS ? 'free' : 'full'
}

export const addCard = (trx: Trx, owner: Owner, card: TokenizedCard): Promise<'added' | NoRoom> =>
  addWithin(trx, owner, {
    count: () => countCards(trx, owner.userApiKey),
    max: MAX_CARDS,
    insert: () => insertCard(trx, owner.userApiKey, card),
  })

/** What is left of a removed card: migrations/0003 tells why anything is. */
const NOTHING_LEFT = {
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

/** Takes the user's card away, and gives it as it was. Of two removals at once the second finds nothing. */
export async function removeCard(
  trx: Trx,
  owner: Owner,
  cardApiKey: string,
): Promise<CreditCard | NotRemoved> {
  const user = await ownUser(trx, owner).select('users.api_key').executeTakeFirst()
  if (!user) return 'no-such-user'
  const card = await trx
    .selectFrom('cards')
    .select(cardColumns)
    .where('user_api_key', '=', owner.userApiKey)
    .where('api_key', '=', cardApiKey)
    .forUpdate()
    .executeTakeFirst()
  if (!card) return 'not-there'
  await trx
    .updateTable('cards')
    .set({ ...NOTHING_LEFT, removed_at: sql<Date>`now()` })
    .where('api_key', '=', cardApiKey)
    .execute()
  return card
}

/** Saves the card of an order, unless the same one is there already or the user has no room for it. */
export const saveCard = (db: Db, userApiKey: string, card: TokenizedCard): Promise<void> =>
  saveWithin(db, userApiKey, {
    decide: async (trx) => savingOf(cardFields(card), await cardsOf(trx, userApiKey), MAX_CARDS),
    insert: (trx) => insertCard(trx, userApiKey, card),
  })

const cardsOf = (db: Db, userApiKey: string): Promise<CreditCard[]> =>
  db.selectFrom('cards').select(cardColumns).where('user_api_key', '=', userApiKey).execute()

/** Stores the card unless it is, or was, there already, whatever the user has. */
export async function insertCard(db: Db, userApiKey: string, card: TokenizedCard): Promise<void> {
  await db
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
    .execute()
}
