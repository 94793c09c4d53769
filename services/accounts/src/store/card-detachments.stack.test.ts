import type { TokenizedCard } from '@platter/contracts'
import { newApiKey } from '@platter/kit'
import { migratedDatabase } from '@platter/testkit'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { postgresApplications } from '#/store/applications.ts'
import { postgresCardDetachments } from '#/store/card-detachments.ts'
import { postgresCards } from '#/store/cards.ts'
import type { Owner } from '#/store/tenant-user.ts'
import { postgresUsers } from '#/store/users.ts'

const { db } = await migratedDatabase('accounts')
let owner: Owner

beforeEach(async () => {
  await sql`delete from card_detachments`.execute(db)
  owner = { userApiKey: newApiKey(), applicationId: newApiKey() }
  await postgresApplications(db).insert({ id: owner.applicationId, name: 'an app' })
  const maria = { passwordHash: 'none', firstName: 'Maria', lastName: 'Lindqvist', phone: '608-555-0142' }
  const user = { apiKey: owner.userApiKey, email: `${owner.userApiKey}@example.org`, ...maria }
  await postgresUsers(db).insert(user, owner.applicationId)
})

async function savedCard(token: string): Promise<string> {
  const card: TokenizedCard = {
    apiKey: newApiKey(),
    token,
    nickname: null,
    cardholderName: newApiKey(),
    cardholderStreetAddress: '316 W Washington Ave',
    cardholderZip: '53703',
    lastFour: '4242',
    expirationMonth: '09',
    expirationYear: '31',
    brand: 'visa',
  }
  await postgresCards(db).save(owner.userApiKey, card)
  return card.apiKey
}

const remove = (apiKey: string) => db.transaction().execute((trx) => postgresCards(trx).remove(owner, apiKey))
const due = () => postgresCardDetachments(db).takeDue(20)
/** Makes all rows due earlier by the interval. */
const advanceTime = (interval: string) =>
  sql`update card_detachments set due_at = due_at - ${interval}::interval`.execute(db)
const minutesLeft = async () =>
  (
    await sql<{ left: number }>`
      select extract(epoch from due_at - now())::float8 / 60 as left from card_detachments`.execute(db)
  ).rows.map(({ left }) => left)

test('the token of a removed card is due an hour later, and again until it is confirmed', async () => {
  const card = await savedCard('tok_a')
  await remove(card)
  expect(await due()).toEqual([])
  await advanceTime('59 minutes')
  expect(await due()).toEqual([])
  await advanceTime('1 minute')
  expect(await due()).toEqual([{ cardApiKey: card, token: 'tok_a' }])
  expect(await due(), 'not due again immediately').toEqual([])
  await advanceTime('1 hour')
  expect(await due(), 'repeated, because it is not confirmed').toHaveLength(1)
  await postgresCardDetachments(db).delete(card)
  await advanceTime('1 day')
  expect(await due()).toEqual([])
})

test('a removal that is rolled back schedules no detachment', async () => {
  const card = await savedCard('tok_b')
  const failing = db.transaction().execute(async (trx) => {
    await postgresCards(trx).remove(owner, card)
    throw new Error('rolled back')
  })
  await expect(failing).rejects.toThrow('rolled back')
  expect(await minutesLeft()).toEqual([])
})

test('the retry delay doubles up to an hour, and one of 8 concurrent calls takes a row', async () => {
  await remove(await savedCard('tok_c'))
  for (let attempt = 0; attempt < 12; attempt++) {
    await advanceTime('2 hours')
    const taken = await Promise.all(Array.from({ length: 8 }, due))
    expect(taken.flat()).toHaveLength(1)
    const [left = 0] = await minutesLeft()
    const delay = Math.min(60, 2 ** attempt / 6)
    expect(left).toBeGreaterThan(0.75 * delay)
    expect(left).toBeLessThanOrEqual(1.2 * delay)
  }
})

test('a token that two saved cards share is due only after the removal of both cards', async () => {
  const [first, second] = [await savedCard('tok_twice'), await savedCard('tok_twice')]
  await remove(first)
  await advanceTime('1 hour')
  expect(await due()).toEqual([])
  expect(await minutesLeft(), 'the row of the first card is deleted').toEqual([])
  await remove(second)
  await advanceTime('1 hour')
  expect(await due()).toEqual([{ cardApiKey: second, token: 'tok_twice' }])
})

test('the shared token of two removed cards is due an hour after the later removal', async () => {
  const [first, second] = [await savedCard('tok_pair'), await savedCard('tok_pair')]
  await remove(first)
  await advanceTime('50 minutes')
  await remove(second)
  await advanceTime('10 minutes')
  expect(await due()).toEqual([])
  await advanceTime('50 minutes')
  expect(await due()).toEqual([{ cardApiKey: second, token: 'tok_pair' }])
})
