import { createHash } from 'node:crypto'
import { createLog, Problem } from '@platter/kit'
import { connectRedis } from '@platter/kit/lifecycle/redis'
import { PATIENT_REDIS, proxyTo, servers } from '@platter/testkit'
import { expect, onTestFinished, test, vi } from 'vitest'
import {
  redisCredentialAttempts,
  type CredentialAttempt,
  type CredentialAttempts,
} from '#/store/credential-attempts.ts'

const log = createLog('test', 'fatal')
const LIMITS = { TRIES_PER_EMAIL: 3, TRIES_PER_ADDRESS: 5, TRIES_PER_APPLICATION: 8 }

const connectStore = async (url = servers().redis) => {
  const store = redisCredentialAttempts({ REDIS_URL: url, ...LIMITS }, log)
  const redis = connectRedis(servers().redis, log, PATIENT_REDIS)
  // Without its connection to Redis the store counts alone, which only the last test expects.
  const isCounted = async () => {
    const { email } = anAttempt()
    await store.count({ email, address: null })
    return redis.exists(`tries:email:${createHash('sha256').update(email).digest('hex')}`).catch(() => 0)
  }
  await expect.poll(isCounted).toBe(1)
  redis.disconnect()
  return store
}

/** The seconds to wait after a rejection: fewer than 900 on a slow machine. */
const refused = expect.toSatisfy((end) => typeof end === 'number' && end > 0 && end <= 900) as number

const anAttempt = (changes: Partial<CredentialAttempt> = {}): CredentialAttempt => ({
  email: `${crypto.randomUUID()}@example.org`,
  address: null,
  ...changes,
})

/** Returns an address that no other test uses. */
const newAddress = () =>
  `2001:db8:${crypto
    .randomUUID()
    .slice(0, 8)
    .replace(/^(.{4})/, '$1:')}::1`

async function attempt(store: CredentialAttempts, caller: CredentialAttempt): Promise<string | number> {
  try {
    await store.count(caller)
    return 'counted'
  } catch (error) {
    if (error instanceof Problem && error.code === 'rate-limited') return error.retryAfterSeconds ?? 0
    throw error
  }
}

const attempts = async (store: CredentialAttempts, callers: CredentialAttempt[]) => {
  const results: (string | number)[] = []
  for (const caller of callers) results.push(await attempt(store, caller))
  return results
}
const times = (count: number, caller: () => CredentialAttempt) => Array.from({ length: count }, caller)

test('429 rate-limited above the limit of an e-mail address in any case, with seconds to wait', async () => {
  const store = await connectStore()
  const caller = anAttempt({ email: `Maria.${crypto.randomUUID()}@Example.org` })
  expect(
    await attempts(
      store,
      times(3, () => caller),
    ),
  ).toEqual(['counted', 'counted', 'counted'])
  expect(await attempt(store, { ...caller, email: caller.email.toUpperCase() })).toEqual(refused)
  expect(await attempt(store, anAttempt())).toBe('counted')
  store.close()
})

test('429 rate-limited above the limit of a client network, for any e-mail addresses', async () => {
  const store = await connectStore()
  const address = newAddress()
  const neighbour = address.replace('::1', '::ffff')
  expect(
    await attempts(
      store,
      times(5, () => anAttempt({ address })),
    ),
  ).toEqual(Array.from({ length: 5 }, () => 'counted'))
  expect(await attempt(store, anAttempt({ address: neighbour }))).toBeTypeOf('number')
  expect(await attempt(store, anAttempt({ address: newAddress() }))).toBe('counted')
  store.close()
})

test('attempts from a rate-limited client address do not count for an e-mail address', async () => {
  const store = await connectStore()
  const address = newAddress()
  await attempts(
    store,
    times(5, () => anAttempt({ address })),
  )
  const victim = anAttempt()
  await attempts(
    store,
    times(10, () => ({ ...victim, address })),
  )
  expect(await attempt(store, victim)).toBe('counted')
  store.close()
})

test('429 rate-limited above the limit of an application, for any network and e-mail address', async () => {
  const store = await connectStore()
  const applicationId = crypto.randomUUID()
  const newAttempt = () => anAttempt({ address: newAddress(), applicationId })
  // Successful attempts are taken back.
  for (let round = 0; round < 10; round++) {
    const caller = newAttempt()
    expect(await attempt(store, caller)).toBe('counted')
    await store.uncount(caller)
  }
  expect(await attempts(store, times(10, newAttempt))).toEqual([
    ...Array.from({ length: 8 }, () => 'counted'),
    refused,
    refused,
  ])
  expect(await attempt(store, anAttempt({ applicationId: crypto.randomUUID() }))).toBe('counted')
  store.close()
})

test('replicas count attempts together', async () => {
  const [one, other] = [await connectStore(), await connectStore()]
  const caller = anAttempt()
  await attempts(one, [caller, caller])
  await attempts(other, [caller])
  expect(await attempt(one, caller)).toBeTypeOf('number')
  expect(await attempt(other, caller)).toBeTypeOf('number')
  one.close()
  other.close()
})

test('exactly 3 of 50 concurrent attempts are accepted at a limit of 3', async () => {
  const store = await connectStore()
  const caller = anAttempt()
  const results = await Promise.all(times(50, () => caller).map((each) => attempt(store, each)))
  expect(results.filter((end) => end === 'counted')).toHaveLength(3)
  store.close()
})

test('an uncounted attempt does not count for any limit', async () => {
  const store = await connectStore()
  const caller = anAttempt({ address: newAddress() })
  for (let round = 0; round < 20; round++) {
    expect(await attempt(store, caller)).toBe('counted')
    await store.uncount(caller)
  }
  expect(
    await attempts(
      store,
      times(4, () => caller),
    ),
  ).toEqual(['counted', 'counted', 'counted', refused])
  store.close()
})

test('a replica counts attempts alone and without delay while Redis is unavailable', async () => {
  const proxy = await proxyTo(servers().redis)
  const store = await connectStore(proxy.url)
  proxy.cut()
  const caller = anAttempt({ address: newAddress() })
  // The clock is stopped, so an attempt that waited for Redis would never end.
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  expect(
    await attempts(
      store,
      times(4, () => caller),
    ),
  ).toEqual(['counted', 'counted', 'counted', 900])
  vi.useRealTimers()
  store.close()
  await proxy.close()
})
