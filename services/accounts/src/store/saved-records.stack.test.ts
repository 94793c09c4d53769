import type { TokenizedCard } from '@platter/contracts'
import { newApiKey, type Problem, type Db } from '@platter/kit'
import { migratedDatabase } from '@platter/testkit'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { MAX_ADDRESSES, MAX_CARDS } from '#/domain/refusals.ts'
import { postgresAddresses, type SavedAddress } from '#/store/addresses.ts'
import { postgresApplications } from '#/store/applications.ts'
import { postgresCards } from '#/store/cards.ts'
import { postgresRecipients } from '#/store/recipients.ts'
import type { savedRecords } from '#/store/saved-records.ts'
import type { Owner } from '#/store/tenant-user.ts'
import { postgresUsers, type UserStore } from '#/store/users.ts'

const { db } = await migratedDatabase('accounts')

async function newUser(): Promise<Owner> {
  const owner = { userApiKey: newApiKey(), applicationId: newApiKey() }
  const maria = { passwordHash: 'none', firstName: 'Maria', lastName: 'Lindqvist', phone: '608-555-0142' }
  await postgresApplications(db).insert({ id: owner.applicationId, name: 'an app' })
  const email = `${owner.userApiKey}@example.org`
  await postgresUsers(db).insert({ apiKey: owner.userApiKey, email, ...maria }, owner.applicationId)
  return owner
}

const newCard = (cardholderName = 'Maria Lindqvist'): TokenizedCard => ({
  apiKey: newApiKey(),
  token: 'tok_of_maria',
  nickname: 'the blue one',
  cardholderName,
  cardholderStreetAddress: '316 W Washington Ave',
  cardholderZip: '53703',
  lastFour: '4242',
  expirationMonth: '09',
  expirationYear: '31',
  brand: 'visa',
})

const newAddress = (streetAddress = '316 W Washington Ave'): SavedAddress => ({
  apiKey: newApiKey(),
  streetAddress,
  aptNumber: '4',
  city: 'Madison',
  state: 'WI',
  zip: '53703',
  latitude: 43.07,
  longitude: -89.39,
})

type Kind = {
  kind: 'card' | 'address'
  max: number
  store: (db: Db) => ReturnType<typeof savedRecords<object, { apiKey: string }>>
  create: (text?: string) => { apiKey: string }
  ofUser: (user: Awaited<ReturnType<UserStore['find']>>) => object[] | undefined
}

const KINDS: readonly Kind[] = [
  {
    kind: 'card',
    max: MAX_CARDS,
    store: postgresCards,
    create: newCard,
    ofUser: (user) => user?.creditCards,
  },
  {
    kind: 'address',
    max: MAX_ADDRESSES,
    store: postgresAddresses,
    create: newAddress,
    ofUser: (user) => user?.savedAddresses,
  },
]

/** Returns the codes of the problems. */
const refusalsIn = (outcomes: readonly PromiseSettledResult<unknown>[]) =>
  outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? (outcome.reason as Problem).code : []))

const PERSONAL = /tok_of_maria|Maria Lindqvist|Washington|53703|4242|Madison|blue|visa/

describe.each(KINDS)('a saved $kind', ({ kind, max, store, create, ofUser }) => {
  const inTransaction = <T>(work: (records: ReturnType<Kind['store']>) => Promise<T>) =>
    db.transaction().execute((trx) => work(store(trx)))
  const saved = async (owner: Owner) => ofUser(await postgresUsers(db).find(owner))

  test('is returned by its removal, and a repeated accounts.save does not restore it', async () => {
    const owner = await newUser()
    const record = create()
    await store(db).save(owner.userApiKey, record)
    const [shown] = (await saved(owner)) ?? []
    expect(await inTransaction((records) => records.remove(owner, record.apiKey))).toEqual(shown)
    await store(db).save(owner.userApiKey, record)
    expect(await saved(owner)).toEqual([])
    const found = await postgresRecipients(db).find(owner, {
      cardApiKey: record.apiKey,
      addressApiKey: record.apiKey,
      newCard: null,
      newAddress: null,
    })
    expect([found?.card, found?.address]).toEqual([null, null])
  })

  test('leaves only its apiKey after its removal', async () => {
    const owner = await newUser()
    const record = create()
    await inTransaction((records) => records.add(owner, record))
    await inTransaction((records) => records.remove(owner, record.apiKey))
    const table = kind === 'card' ? 'cards' : 'addresses'
    const { rows } = await sql`select * from ${sql.table(table)} where api_key = ${record.apiKey}`.execute(db)
    expect(rows).toMatchObject([{ user_api_key: null }])
    // The random apiKey may contain 4242.
    expect(JSON.stringify(rows).replaceAll(record.apiKey, '')).not.toMatch(PERSONAL)
  })

  test('is found by one of ten concurrent removals', async () => {
    const owner = await newUser()
    const record = create()
    await inTransaction((records) => records.add(owner, record))
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, () => inTransaction((records) => records.remove(owner, record.apiKey))),
    )
    expect(refusalsIn(outcomes)).toEqual(Array.from({ length: 9 }, () => `${kind}-not-found`))
  })

  test('cannot be removed by another user or through another application', async () => {
    const [owner, other] = [await newUser(), await newUser()]
    const record = create()
    await store(db).save(owner.userApiKey, record)
    const foreign = { ...owner, applicationId: other.applicationId }
    const removeBy = (by: Owner) => inTransaction((records) => records.remove(by, record.apiKey))
    const noSuchRecord = { code: `${kind}-not-found`, message: `The user has no such ${kind}.` }
    await expect(removeBy(other)).rejects.toMatchObject(noSuchRecord)
    await expect(removeBy(foreign)).rejects.toMatchObject({ code: 'user-not-found' })
    expect(await saved(owner)).toHaveLength(1)
  })

  test(`takes one of ${max} places, also when requests and orders compete for the last one`, async () => {
    const owner = await newUser()
    for (let index = 1; index < max; index++) await store(db).save(owner.userApiKey, create(`no. ${index}`))
    const added = Array.from({ length: 4 }, (_, index) =>
      inTransaction((records) => records.add(owner, create(`added ${index}`))),
    )
    const ordered = Array.from({ length: 4 }, (_, index) =>
      store(db).save(owner.userApiKey, create(`ordered ${index}`)),
    )
    const refusals = refusalsIn(await Promise.allSettled(added))
    await Promise.all(ordered)
    expect(await saved(owner)).toHaveLength(max)
    expect(refusals.length).toBeGreaterThanOrEqual(3)
    expect(new Set(refusals)).toEqual(new Set(['too-many-saved']))
    const oneTooMany = inTransaction((records) => records.add(owner, create('one too many')))
    await expect(oneTooMany).rejects.toMatchObject({ code: 'too-many-saved' })
  })
})
