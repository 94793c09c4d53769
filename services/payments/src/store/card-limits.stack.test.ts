import { createHash, randomInt } from 'node:crypto'
import type { CardUser } from '@platter/contracts'
import { createLog, Problem } from '@platter/kit'
import { connectRedis } from '@platter/kit/redis'
import { proxyTo, servers } from '@platter/testkit'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { CountedCards, type CardLimits } from './card-limits.ts'

const log = createLog('test', 'fatal')
const redis = connectRedis(servers().redis, log)
const policy = {
  cardsPerUser: 3,
  declinesPerCard: 2,
  declinesPerAddress: 4,
  declinesPerApplication: 6,
  seconds: 60,
}
const settings = { secret: 's'.repeat(32), policy, log }
let limits: CardLimits

/** A machine that stands still for 100 ms is no Redis that is away, as it would be otherwise (`commandTimeout`). */
const patient = `${servers().redis}?commandTimeout=none`

/** Until it is connected it counts for itself, which is not what most of these tests are about. */
async function connected(url = patient): Promise<CardLimits> {
  const made = new CountedCards(url, settings)
  const token = crypto.randomUUID()
  const key = `cards:token:${createHash('sha256').update(token).digest('hex').slice(0, 32)}`
  await vi.waitFor(async () => {
    made.remember(token, { card: 'none', address: null, application: null })
    if ((await redis.exists(key)) === 0) throw new Error('not connected yet')
  }, 10_000)
  return made
}

beforeAll(async () => {
  limits = await connected()
})
afterAll(() => {
  limits.close()
  redis.disconnect()
})

/** Sixteen digits that no other test shows. */
const aCard = () =>
  `4${randomInt(10 ** 14)
    .toString()
    .padStart(15, '0')}`
/** Of an IPv6 network that no other test has. */
const anAddress = () => `2001:db8:${randomInt(65_536).toString(16)}:${randomInt(65_536).toString(16)}::1`
const nobody: CardUser = { userApiKey: null, address: null, applicationId: null }
const aUser = (): CardUser => ({ ...nobody, userApiKey: crypto.randomUUID() })

const isRefused = (error: unknown) => error instanceof Problem && error.code === 'rate-limited'
const show = (card: string, by: CardUser = nobody, to = limits) =>
  to.admit(card, by).catch((error: unknown) => {
    if (isRefused(error)) return null
    throw error
  })
async function showDeclined(card: string, by: CardUser = nobody, to = limits): Promise<boolean> {
  const shown = await show(card, by, to)
  if (shown) await to.declined(shown)
  return shown !== null
}

test('a user may show so many new cards, and the same ones as often as need be', async () => {
  const user = aUser()
  const cards = [aCard(), aCard(), aCard()]
  for (const card of cards) expect(await show(card, user)).not.toBeNull()
  await expect(limits.admit(aCard(), user)).rejects.toMatchObject({
    code: 'rate-limited',
    retryAfterSeconds: expect.toSatisfy((seconds: number) => seconds > 50 && seconds <= 60) as number,
  })
  for (const card of [...cards, ...cards]) expect(await show(card, user)).not.toBeNull()
  expect(await show(aCard(), aUser())).not.toBeNull()
})

test('a card that was declined so often is not shown any more, whoever has it; any other card is', async () => {
  const card = aCard()
  expect([await showDeclined(card, aUser()), await showDeclined(card)]).toEqual([true, true])
  expect([await show(card), await show(card, aUser())]).toEqual([null, null])
  expect(await show(aCard())).not.toBeNull()
})

test('the declines of an address count together, over a whole network, whichever cards they were', async () => {
  const address = anAddress()
  const by = { ...nobody, address }
  for (let count = 0; count < 4; count++) expect(await showDeclined(aCard(), by)).toBe(true)
  expect(await show(aCard(), { ...nobody, address: address.replace('::1', '::ffff') })).toBeNull()
  expect(await show(aCard(), { ...nobody, address: anAddress() })).not.toBeNull()
  for (let count = 0; count < 20; count++)
    expect(
      await show(aCard(), { ...nobody, address: '192.0.2.1' }),
      'good cards count nothing',
    ).not.toBeNull()
})

test('the declines of an application count together, from wherever they come', async () => {
  const applicationId = crypto.randomUUID()
  const by = () => ({ ...nobody, address: anAddress(), applicationId })
  for (let count = 0; count < 6; count++) expect(await showDeclined(aCard(), by())).toBe(true)
  expect(await show(aCard(), by())).toBeNull()
  expect(await show(aCard(), { ...by(), applicationId: crypto.randomUUID() })).not.toBeNull()
})

test('a decline of the charge counts for the card that the token is of, on any replica', async () => {
  const other = await connected()
  const card = aCard()
  for (const token of ['tok_1', 'tok_2'].map((name) => `${name}_${crypto.randomUUID()}`)) {
    const shown = await show(card)
    limits.remember(token, shown!)
    await other.declinedByToken(token)
  }
  expect(await show(card)).toBeNull()
  expect(await show(card, nobody, other)).toBeNull()
  await other.declinedByToken('of a card that was saved long ago')
  other.close()
})

test('a list of stolen cards gets few answers: the run is over after the first declines', async () => {
  const by = { ...nobody, address: anAddress(), applicationId: crypto.randomUUID() }
  const answers: boolean[] = []
  for (let count = 0; count < 500; count++) answers.push(await showDeclined(aCard(), by))
  expect(answers.filter(Boolean)).toHaveLength(policy.declinesPerAddress)
})

test('what is kept tells no card, token or address, and ends by itself', async () => {
  const [card, token, address] = [aCard(), `tok_${crypto.randomUUID()}`, anAddress()]
  const user = { ...aUser(), address }
  const shown = await limits.admit(card, user)
  limits.remember(token, shown)
  await limits.declined(shown)
  expect(shown.card).toMatch(/^[0-9a-f]{6}$/)
  const keys = await redis.keys('cards:*')
  const values = await redis.mget(keys)
  const kept = JSON.stringify([keys, values])
  expect(kept).toContain(shown.card)
  for (const secret of [card, token, address]) expect(kept).not.toContain(secret)
  // Within ids and hashes any four digits occur by chance.
  expect(kept).not.toMatch(new RegExp(`(?<![0-9a-f-])${card.slice(-4)}(?![0-9a-f-])`))
  const ends = await Promise.all(keys.map((key) => redis.ttl(key)))
  // -1: never; -2: it has ended meanwhile. Other tests beside this one keep theirs for an hour.
  expect(ends.filter((seconds) => seconds === -1 || seconds > 3_600)).toEqual([])
})

test('without Redis a replica counts for itself, and no card waits or fails for it', async () => {
  const proxy = await proxyTo(servers().redis)
  const alone = await connected(proxy.url)
  proxy.cut()
  const [user, card] = [aUser(), aCard()]
  for (let count = 0; count < 3; count++) expect(await show(aCard(), user, alone)).not.toBeNull()
  expect(await show(aCard(), user, alone)).toBeNull()
  expect([await showDeclined(card, nobody, alone), await showDeclined(card, nobody, alone)]).toEqual([
    true,
    true,
  ])
  expect(await show(card, nobody, alone)).toBeNull()
  alone.remember('tok', { card: 'none', address: null, application: null })
  await alone.declinedByToken('tok')
  alone.close()
  await proxy.close()
})
