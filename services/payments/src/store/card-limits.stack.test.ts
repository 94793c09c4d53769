import { randomInt, randomUUID } from 'node:crypto'
import type { CardUser } from '@platter/contracts'
import { createLog, Problem } from '@platter/kit'
import { connectRedis } from '@platter/kit/lifecycle/redis'
import { PATIENT_REDIS, proxyTo, servers } from '@platter/testkit'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { RedisCardLimits, type CardLimits } from '#/store/card-limits.ts'

const log = createLog('test', 'fatal')
const redis = connectRedis(servers().redis, log, PATIENT_REDIS)
const settings = {
  INTERNAL_SECRET: 's'.repeat(32),
  CARDS_PER_USER: 3,
  DECLINES_PER_CARD: 2,
  DECLINES_PER_ADDRESS: 4,
  DECLINES_PER_APPLICATION: 6,
  CARDS_SECONDS: 60,
}
let limits: CardLimits
const soon = { timeout: 30_000, interval: 50 }

/** Without time limits: a pause of the machine, for 100 ms or for a second, must not count as an unavailable Redis. */
const patient = `${servers().redis}?commandTimeout=none&socketTimeout=60000`

/** Returns a replica that is connected to Redis. Before that it would count alone. */
async function connected(url = patient): Promise<CardLimits> {
  const made = new RedisCardLimits({ ...settings, REDIS_URL: url }, log)
  await vi.waitFor(async () => {
    const card = `probe ${randomUUID()}`
    await made.countDecline({ card, address: null, application: null })
    if (!(await redis.exists(`cards:declines-of-card:${card}`))) throw new Error('not connected yet')
  }, soon)
  return made
}

beforeAll(async () => {
  limits = await connected()
})
afterAll(() => {
  limits.close()
  redis.disconnect()
})

/** A card number that no other test uses. */
const aCard = () =>
  `4${randomInt(10 ** 14)
    .toString()
    .padStart(15, '0')}`
/** An address in an IPv6 network that no other test uses. */
const anAddress = () => `2001:db8:${randomInt(65_536).toString(16)}:${randomInt(65_536).toString(16)}::1`
const unknownUser: CardUser = { userApiKey: null, address: null, applicationId: null }
const aUser = (): CardUser => ({ ...unknownUser, userApiKey: crypto.randomUUID() })

const isRefused = (error: unknown) => error instanceof Problem && error.code === 'rate-limited'
const admit = (card: string, by: CardUser = unknownUser, to = limits) =>
  to.admit(card, by).catch((error: unknown) => {
    if (isRefused(error)) return null
    throw error
  })
async function admitDeclined(card: string, by: CardUser = unknownUser, to = limits): Promise<boolean> {
  const attempt = await admit(card, by, to)
  if (attempt) await to.countDecline(attempt)
  return attempt !== null
}

test('a user is limited to CARDS_PER_USER new cards, and may reuse each of them without a limit', async () => {
  const user = aUser()
  const cards = [aCard(), aCard(), aCard()]
  for (const card of cards) expect(await admit(card, user)).not.toBeNull()
  await expect(limits.admit(aCard(), user)).rejects.toMatchObject({
    code: 'rate-limited',
    retryAfterSeconds: expect.toSatisfy((seconds: number) => seconds > 0 && seconds <= 60) as number,
  })
  for (const card of [...cards, ...cards]) expect(await admit(card, user)).not.toBeNull()
  expect(await admit(aCard(), aUser())).not.toBeNull()
})

test('a card above its limit of declines is refused for all users; another card is admitted', async () => {
  const card = aCard()
  expect([await admitDeclined(card, aUser()), await admitDeclined(card)]).toEqual([true, true])
  expect([await admit(card), await admit(card, aUser())]).toEqual([null, null])
  expect(await admit(aCard())).not.toBeNull()
})

test('the declines of a network count together, over all cards', async () => {
  const address = anAddress()
  const by = { ...unknownUser, address }
  for (let count = 0; count < 4; count++) expect(await admitDeclined(aCard(), by)).toBe(true)
  expect(await admit(aCard(), { ...unknownUser, address: address.replace('::1', '::ffff') })).toBeNull()
  expect(await admit(aCard(), { ...unknownUser, address: anAddress() })).not.toBeNull()
  for (let count = 0; count < 20; count++)
    expect(
      await admit(aCard(), { ...unknownUser, address: '192.0.2.1' }),
      'accepted cards do not count',
    ).not.toBeNull()
})

test('the declines of an application count together, over all addresses', async () => {
  const applicationId = crypto.randomUUID()
  const by = () => ({ ...unknownUser, address: anAddress(), applicationId })
  for (let count = 0; count < 6; count++) expect(await admitDeclined(aCard(), by())).toBe(true)
  expect(await admit(aCard(), by())).toBeNull()
  expect(await admit(aCard(), { ...by(), applicationId: crypto.randomUUID() })).not.toBeNull()
})

test('a decline counts at once on all replicas, and on a replica that starts later', async () => {
  const other = await connected()
  const card = aCard()
  expect(await admit(card, unknownUser, other)).not.toBeNull()
  expect([await admitDeclined(card), await admitDeclined(card)]).toEqual([true, true])
  const later = await connected()
  for (const replica of [limits, other, later]) expect(await admit(card, unknownUser, replica)).toBeNull()
  other.close()
  later.close()
})

test('the declines of an address count together, over all replicas', async () => {
  const other = await connected()
  const by = { ...unknownUser, address: anAddress() }
  for (let count = 0; count < 2; count++) {
    expect(await admitDeclined(aCard(), by)).toBe(true)
    expect(await admitDeclined(aCard(), by, other)).toBe(true)
  }
  expect([await admit(aCard(), by, other), await admit(aCard(), by)]).toEqual([null, null])
  other.close()
})

test('a declined authorization counts for the card of its token, on any replica', async () => {
  const other = await connected()
  const card = aCard()
  const tokens = [`tok_${randomUUID()}`, `tok_${randomUUID()}`]
  for (const token of tokens) await limits.linkToken(token, (await admit(card))!)
  await Promise.all(tokens.map((token) => other.countDeclineOfToken(token)))
  expect([await admit(card, unknownUser, other), await admit(card)]).toEqual([null, null])
  await other.countDeclineOfToken('of a card saved long ago')
  expect(await admit(aCard(), unknownUser, other)).not.toBeNull()
  other.close()
})

test('500 cards from one address are refused after DECLINES_PER_ADDRESS declines', async () => {
  const by = { ...unknownUser, address: anAddress(), applicationId: crypto.randomUUID() }
  const admitted: boolean[] = []
  for (let count = 0; count < 500; count++) admitted.push(await admitDeclined(aCard(), by))
  expect(admitted.filter(Boolean)).toHaveLength(settings.DECLINES_PER_ADDRESS)
})

test('Redis stores no card, token or address, and every key expires', async () => {
  const [card, token, address] = [aCard(), `tok_${crypto.randomUUID()}`, anAddress()]
  const user = { ...aUser(), address }
  const replica = await connected()
  const attempt = await replica.admit(card, user)
  await replica.linkToken(token, attempt)
  await replica.countDecline(attempt)
  replica.close()
  expect(attempt.card).toMatch(/^[0-9a-f]{6}$/)
  const keys = await redis.keys('cards:*')
  const stored = JSON.stringify([keys, await redis.mget(keys)])
  expect(stored).toContain(attempt.card)
  for (const secret of [card, token, address]) expect(stored).not.toContain(secret)
  // Ids and hashes may contain any four digits by chance.
  expect(stored).not.toMatch(new RegExp(`(?<![0-9a-f-])${card.slice(-4)}(?![0-9a-f-])`))
  const ends = await Promise.all(keys.map((key) => redis.ttl(key)))
  // -1: never expires; -2: expired meanwhile. Tests that run in parallel have windows of an hour.
  expect(ends.filter((seconds) => seconds === -1 || seconds > 3_600)).toEqual([])
})

test('without Redis, a replica reports that, counts alone, and admits cards below their limits', async () => {
  const proxy = await proxyTo(servers().redis)
  const alone = await connected(proxy.url)
  proxy.cut()
  expect([await limits.isShared(), await alone.isShared()]).toEqual([true, false])
  const [user, card] = [aUser(), aCard()]
  for (let count = 0; count < 3; count++) expect(await admit(aCard(), user, alone)).not.toBeNull()
  expect(await admit(aCard(), user, alone)).toBeNull()
  expect([
    await admitDeclined(card, unknownUser, alone),
    await admitDeclined(card, unknownUser, alone),
  ]).toEqual([true, true])
  expect(await admit(card, unknownUser, alone)).toBeNull()
  const authorized = aCard()
  for (const token of ['tok_1', 'tok_2']) {
    await alone.linkToken(token, (await admit(authorized, unknownUser, alone))!)
    await alone.countDeclineOfToken(token)
  }
  expect(await admit(authorized, unknownUser, alone)).toBeNull()
  alone.close()
  await proxy.close()
})
