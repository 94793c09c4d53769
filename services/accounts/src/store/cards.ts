import type { TokenizedCard } from '@platter/contracts'
import { MAX_CARDS, type NoRoom } from '#/domain/room.ts'
import { addWithin } from './add-within.ts'
import { ownUser, type Owner } from './own-user.ts'
import type { Db } from './tables.ts'

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

export const addCard = (db: Db, owner: Owner, card: TokenizedCard): Promise<'added' | NoRoom> =>
  addWithin(db, owner, {
    count: (trx) => countCards(trx, owner.userApiKey),
    max: MAX_CARDS,
    insert: (trx) => saveCard(trx, owner.userApiKey, card),
  })

/** Stores the card unless it is there already, whatever the user has. */
export async function saveCard(db: Db, userApiKey: string, card: TokenizedCard): Promise<void> {
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
