import { randomInt, randomUUID } from 'node:crypto'
import type { CardUser } from '@platter/contracts'
import { createLog, Problem } from '@platter/kit'
import { connectRedis } from '@platter/kit/lifecycle/redis'
import { proxyTo, servers } from '@platter/testkit'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { CountedCards, type CardLimits } from '#/store/card-limits.ts'
import { STALENESS_MS } from '#/store/decline-log.ts'

const log = createLog('test', 'fatal')
const redis = connectRedis(servers().redis, log, { commandTimeout: undefined })
const policy = {
  cardsPerUser: 3,
  declinesPerCard: 2,
  declinesPerAddress: 4,
  declinesPerApplication: 6,
  seconds: 60,
}
const settings = { secret: 's'.repeat(32), policy, log }
let limits: CardLimits
const soon = { timeout: 30_000, interval: 50 }

/** A machine that stands still for 100 ms is not a Redis that is unavailable, as it would be otherwise (`commandTimeout`). */
const patient = `${servers().redis}?commandTimeout=none`

/** A replica. Until it is connected it counts for itself, which is not what most of these tests are about. */
async function connected(url = patient, now = Date.now): Promise<CardLimits> {
  const made = new CountedCards(url, { ...settings, now })
  await vi.waitFor(async () => {
    const card = `probe ${randomUUID()}`
    await made.declined({ card, address: null, application: null })
    const logged = await redis.xrevrange('cards:declines', '+', '-', 'COUNT', 100)
    if (!JSON.stringify(logged).includes(card)) throw new Error('not connected yet')
  }, soon)
  return made
}

beforeAll(async () => {
  limits = await connected()
})
afterAll(async () => {
  await limits.close()
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
    retryAfterSeconds: expect.toSatisfy((seconds: number) => seconds > 0 && seconds <= 60) as number,
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

test('a decline holds a card off at once where it is learnt of, and on another replica within a second', async () => {
  let now = Date.now()
  const other = await connected(patient, () => now)
  const card = aCard()
  expect(await show(card, nobody, other)).not.toBeNull()
  expect([await showDeclined(card), await showDeclined(card)]).toEqual([true, true])
  expect(await show(card)).toBeNull()
  // It has read the log less than a second ago, by its clock.
  expect(await show(card, nobody, other)).not.toBeNull()
  now += STALENESS_MS
  expect(await show(card, nobody, other)).toBeNull()
  await other.close()
})

test('the declines of an address count together, whichever replicas learn of them', async () => {
  let now = Date.now()
  const other = await connected(patient, () => now)
  const by = { ...nobody, address: anAddress() }
  for (let count = 0; count < 2; count++) {
    expect(await showDeclined(aCard(), by)).toBe(true)
    expect(await showDeclined(aCard(), by, other)).toBe(true)
  }
  now += STALENESS_MS
  expect(await show(aCard(), by, other)).toBeNull()
  await vi.waitFor(async () => expect(await show(aCard(), by)).toBeNull(), soon)
  await other.close()
})

test('a replica that starts knows all declines of the window, however many there are', async () => {
  const [first, last] = [aCard(), aCard()]
  for (let count = 0; count < 2; count++) expect(await showDeclined(first)).toBe(true)
  // More than one read takes.
  const others = Array.from({ length: 1_100 }, () => ({
    card: randomUUID(),
    address: null,
    application: null,
  }))
  await Promise.all(others.map((shown) => limits.declined(shown)))
  for (let count = 0; count < 2; count++) expect(await showDeclined(last)).toBe(true)
  const started = await connected()
  expect([await show(first, nobody, started), await show(last, nobody, started)]).toEqual([null, null])
  expect(await show(aCard(), nobody, started)).not.toBeNull()
  await started.close()
})

test('a decline of the charge counts for the card that the token is of, on any replica', async () => {
  let now = Date.now()
  const other = await connected(patient, () => now)
  const card = aCard()
  const tokens = [`tok_${randomUUID()}`, `tok_${randomUUID()}`]
  for (const token of tokens) limits.remember(token, (await show(card))!)
  await Promise.all(tokens.map((token) => other.declinedByToken(token)))
  expect(await show(card, nobody, other)).toBeNull()
  await vi.waitFor(async () => expect(await show(card)).toBeNull(), soon)
  await other.declinedByToken('of a card that was saved long ago')
  now += STALENESS_MS
  expect(await show(aCard(), nobody, other)).not.toBeNull()
  await other.close()
})

test("a hundred guests' cards without a decline cost one read and one write", async () => {
  const name = randomUUID()
  const started = Date.now()
  const replica = await connected(`${patient}&connectionName=${name}`, () => started)
  await show(aCard(), nobody, replica)
  const clients = String(await redis.client('LIST'))
  const source = new RegExp(`addr=(\\S+) .*name=${name} `).exec(clients)?.[1]
  const monitor = await redis.monitor()
  const commands: string[] = []
  monitor.on('monitor', (_time: string, [command = '']: string[], from: string) => {
    if (from === source) commands.push(command.toLowerCase())
  })
  // The clock stands still, so that nothing is written before the replica closes: after half a second it would be.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  for (let count = 0; count < 100; count++) {
    const shown = await show(aCard(), { ...nobody, address: anAddress() }, replica)
    replica.remember(`tok_${randomUUID()}`, shown!)
  }
  vi.useRealTimers()
  await replica.close()
  await vi.waitFor(() => expect(commands).toContain('pexpireat'), soon)
  monitor.disconnect()
  expect(commands).toEqual(['hset', 'pexpireat'])
})

test('a list of stolen cards gets few answers: the run is over after the first declines', async () => {
  const by = { ...nobody, address: anAddress(), applicationId: crypto.randomUUID() }
  const answers: boolean[] = []
  for (let count = 0; count < 500; count++) answers.push(await showDeclined(aCard(), by))
  expect(answers.filter(Boolean)).toHaveLength(policy.declinesPerAddress)
})

/** All that Redis has under a key. */
async function valueOf(key: string): Promise<unknown> {
  const type = await redis.type(key)
  if (type === 'hash') return redis.hgetall(key)
  if (type === 'stream') return redis.xrange(key, '-', '+')
  return redis.get(key)
}

test('what is kept tells no card, token or address, and ends by itself', async () => {
  const [card, token, address] = [aCard(), `tok_${crypto.randomUUID()}`, anAddress()]
  const user = { ...aUser(), address }
  const replica = await connected()
  const shown = await replica.admit(card, user)
  replica.remember(token, shown)
  await replica.declined(shown)
  await replica.close()
  expect(shown.card).toMatch(/^[0-9a-f]{6}$/)
  const keys = await redis.keys('cards:*')
  const kept = JSON.stringify([keys, await Promise.all(keys.map(valueOf))])
  expect(kept).toContain(shown.card)
  for (const secret of [card, token, address]) expect(kept).not.toContain(secret)
  // Within ids and hashes any four digits occur by chance.
  expect(kept).not.toMatch(new RegExp(`(?<![0-9a-f-])${card.slice(-4)}(?![0-9a-f-])`))
  const ends = await Promise.all(keys.map((key) => redis.ttl(key)))
  // -1: never; -2: it has ended meanwhile. Other tests beside this one have windows of an hour, and keep tokens for two.
  expect(ends.filter((seconds) => seconds === -1 || seconds > 7_200)).toEqual([])
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
  await alone.close()
  await proxy.close()
})
