import { join } from 'node:path'
import type { TokenizedCard } from '@platter/contracts'
import { createLog, newApiKey } from '@platter/kit'
import { migrate } from '@platter/kit/postgres/migrate'
import { connectPostgres } from '@platter/kit/postgres/postgres'
import { newDatabase } from '@platter/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addAddress, removeAddress, saveAddress, type SavedAddress } from '#/store/addresses.ts'
import { insertApplication } from '#/store/applications.ts'
import { addCard, removeCard, saveCard } from '#/store/cards.ts'
import { findRecipient } from '#/store/recipients.ts'
import type { Db, Tables } from '#/store/tables.ts'
import { insertUser, readUser } from '#/store/users.ts'

const nothingNew = { newCard: null, newAddress: null }
const log = createLog('test', 'fatal')
let db: Db
let close: () => Promise<void>

beforeAll(async () => {
  const postgres = connectPostgres<Tables>(await newDatabase(), 10, log)
  ;({ db, close } = postgres)
  await migrate(db, join(import.meta.dirname, '../../migrations'), log)
})
afterAll(() => close())

async function someone() {
  const owner = { userApiKey: newApiKey(), applicationId: newApiKey() }
  const maria = { passwordHash: 'none', firstName: 'Maria', lastName: 'Lindqvist', phone: '608-555-0142' }
  await insertApplication(db, { id: owner.applicationId, name: 'an app' })
  const email = `${owner.userApiKey}@example.org`
  await insertUser(db, { apiKey: owner.userApiKey, email, ...maria }, owner.applicationId)
  return owner
}

const aCard = (): TokenizedCard => ({
  apiKey: newApiKey(),
  token: 'tok_of_maria',
  nickname: 'the blue one',
  cardholderName: 'Maria Lindqvist',
  cardholderStreetAddress: '316 W Washington Ave',
  cardholderZip: '53703',
  lastFour: '4242',
  expirationMonth: '09',
  expirationYear: '31',
  brand: 'visa',
})

const anAddress = (): SavedAddress => ({
  apiKey: newApiKey(),
  streetAddress: '316 W Washington Ave',
  aptNumber: '4',
  city: 'Madison',
  state: 'WI',
  zip: '53703',
  latitude: 43.07,
  longitude: -89.39,
})

const PERSONAL = /tok_of_maria|Maria Lindqvist|Washington|53703|4242|Madison|blue|visa/

test('a removed card is not brought back by an accounts.save that is said again', async () => {
  const owner = await someone()
  const card = aCard()
  await saveCard(db, owner.userApiKey, card)
  const { token: _, ...shown } = card
  expect(await db.transaction().execute((trx) => removeCard(trx, owner, card.apiKey))).toEqual(shown)
  await saveCard(db, owner.userApiKey, card)
  expect((await readUser(db, owner))?.creditCards).toEqual([])
  const asked = { cardApiKey: card.apiKey, addressApiKey: null, ...nothingNew }
  expect((await findRecipient(db, owner, asked))?.card).toBeNull()
})

test('nothing is left of a removed card but its apiKey', async () => {
  const owner = await someone()
  const card = aCard()
  await db.transaction().execute((trx) => addCard(trx, owner, card))
  await db.transaction().execute((trx) => removeCard(trx, owner, card.apiKey))
  const row = await db.selectFrom('cards').selectAll().where('api_key', '=', card.apiKey).executeTakeFirst()
  expect(row).toMatchObject({ user_api_key: null, token: '', last_four: '' })
  expect(JSON.stringify(row)).not.toMatch(PERSONAL)
})

test('a removed address is not brought back by an accounts.save that is said again, and nothing is left of it', async () => {
  const owner = await someone()
  const address = anAddress()
  await db.transaction().execute((trx) => addAddress(trx, owner, address))
  expect(await db.transaction().execute((trx) => removeAddress(trx, owner, address.apiKey))).toEqual(address)
  await saveAddress(db, owner.userApiKey, address)
  expect((await readUser(db, owner))?.savedAddresses).toEqual([])
  const found = await findRecipient(db, owner, {
    ...nothingNew,
    cardApiKey: null,
    addressApiKey: address.apiKey,
  })
  expect(found?.address).toBeNull()
  const rows = await db.selectFrom('addresses').selectAll().where('api_key', '=', address.apiKey).execute()
  expect(rows).toHaveLength(1)
  expect(JSON.stringify(rows)).not.toMatch(PERSONAL)
})

test('of ten removals at once one finds the card', async () => {
  const owner = await someone()
  const card = aCard()
  await db.transaction().execute((trx) => addCard(trx, owner, card))
  const ends = await Promise.all(
    Array.from({ length: 10 }, () => db.transaction().execute((trx) => removeCard(trx, owner, card.apiKey))),
  )
  expect(ends.filter((end) => end === 'not-there')).toHaveLength(9)
})

test("another user's card cannot be removed, nor one through another application", async () => {
  const [owner, other] = [await someone(), await someone()]
  const card = aCard()
  await saveCard(db, owner.userApiKey, card)
  const foreign = { ...owner, applicationId: other.applicationId }
  expect(await db.transaction().execute((trx) => removeCard(trx, other, card.apiKey))).toBe('not-there')
  expect(await db.transaction().execute((trx) => removeCard(trx, foreign, card.apiKey))).toBe('no-such-user')
  expect((await readUser(db, owner))?.creditCards).toHaveLength(1)
})
