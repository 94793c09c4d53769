import { createHash } from 'node:crypto'
import { createLog, Problem } from '@platter/kit'
import { connectRedis } from '@platter/kit/lifecycle/redis'
import { proxyTo, servers } from '@platter/testkit'
import { expect, onTestFinished, test, vi } from 'vitest'
import { countTries, type Trier } from '#/store/tries.ts'

const log = createLog('test', 'fatal')
const POLICY = { perEmail: 3, perAddress: 5, perApplication: 8, seconds: 60 }

const connected = async (url = servers().redis) => {
  const tries = countTries(url, POLICY, log)
  const redis = connectRedis(servers().redis, log, { commandTimeout: undefined })
  // Until it is connected it counts for itself, which is not what most of these tests are about.
  const isCounted = async () => {
    const { email } = someone()
    await tries.count({ email, address: undefined })
    return redis.exists(`tries:email:${createHash('sha256').update(email).digest('hex')}`).catch(() => 0)
  }
  await expect.poll(isCounted).toBe(1)
  redis.disconnect()
  return tries
}

/** A refusal, with the seconds to wait: fewer than 60 on a machine that is slow. */
const refused = expect.toSatisfy((end) => typeof end === 'number' && end > 0 && end <= 60) as number

const someone = (changes: Partial<Trier> = {}): Trier => ({
  email: `${crypto.randomUUID()}@example.org`,
  address: undefined,
  ...changes,
})

/** An address that no other test has. */
const newAddress = () =>
  `2001:db8:${crypto
    .randomUUID()
    .slice(0, 8)
    .replace(/^(.{4})/, '$1:')}::1`

async function attempt(tries: ReturnType<typeof countTries>, trier: Trier): Promise<string | number> {
  try {
    await tries.count(trier)
    return 'counted'
  } catch (error) {
    if (error instanceof Problem && error.code === 'rate-limited') return error.retryAfterSeconds ?? 0
    throw error
  }
}

const attempts = async (tries: ReturnType<typeof countTries>, triers: Trier[]) => {
  const ends: (string | number)[] = []
  for (const trier of triers) ends.push(await attempt(tries, trier))
  return ends
}
const times = (count: number, trier: () => Trier) => Array.from({ length: count }, trier)

test('429 rate-limited past the tries of an e-mail, however it is written, with the seconds to wait', async () => {
  const tries = await connected()
  const trier = someone({ email: `Maria.${crypto.randomUUID()}@Example.org` })
  expect(
    await attempts(
      tries,
      times(3, () => trier),
    ),
  ).toEqual(['counted', 'counted', 'counted'])
  expect(await attempt(tries, { ...trier, email: trier.email.toUpperCase() })).toEqual(refused)
  expect(await attempt(tries, someone())).toBe('counted')
  tries.close()
})

test('429 rate-limited past the tries of a network, whichever e-mails it tries', async () => {
  const tries = await connected()
  const address = newAddress()
  const neighbour = address.replace('::1', '::ffff')
  expect(
    await attempts(
      tries,
      times(5, () => someone({ address })),
    ),
  ).toEqual(Array.from({ length: 5 }, () => 'counted'))
  expect(await attempt(tries, someone({ address: neighbour }))).toBeTypeOf('number')
  expect(await attempt(tries, someone({ address: newAddress() }))).toBe('counted')
  tries.close()
})

test('who is out of tries at an address uses up nobody’s e-mail there', async () => {
  const tries = await connected()
  const address = newAddress()
  await attempts(
    tries,
    times(5, () => someone({ address })),
  )
  const victim = someone()
  await attempts(
    tries,
    times(10, () => ({ ...victim, address })),
  )
  expect(await attempt(tries, victim)).toBe('counted')
  tries.close()
})

test('429 rate-limited past the tries of an application, from whichever addresses, with whichever e-mails', async () => {
  const tries = await connected()
  const applicationId = crypto.randomUUID()
  const anybody = () => someone({ address: newAddress(), applicationId })
  // Those that work are taken back.
  for (let round = 0; round < 10; round++) {
    const trier = anybody()
    expect(await attempt(tries, trier)).toBe('counted')
    await tries.takeBack(trier)
  }
  expect(await attempts(tries, times(10, anybody))).toEqual([
    ...Array.from({ length: 8 }, () => 'counted'),
    refused,
    refused,
  ])
  expect(await attempt(tries, someone({ applicationId: crypto.randomUUID() }))).toBe('counted')
  tries.close()
})

test('tries are counted in common with other replicas', async () => {
  const [one, other] = [await connected(), await connected()]
  const trier = someone()
  await attempts(one, [trier, trier])
  await attempts(other, [trier])
  expect(await attempt(one, trier)).toBeTypeOf('number')
  expect(await attempt(other, trier)).toBeTypeOf('number')
  one.close()
  other.close()
})

test('50 at once get the tries that there are, and no more', async () => {
  const tries = await connected()
  const trier = someone()
  const ends = await Promise.all(times(50, () => trier).map((each) => attempt(tries, each)))
  expect(ends.filter((end) => end === 'counted')).toHaveLength(3)
  tries.close()
})

test('a try that is taken back leaves as many as before', async () => {
  const tries = await connected()
  const trier = someone({ address: newAddress() })
  for (let round = 0; round < 20; round++) {
    expect(await attempt(tries, trier)).toBe('counted')
    await tries.takeBack(trier)
  }
  expect(
    await attempts(
      tries,
      times(4, () => trier),
    ),
  ).toEqual(['counted', 'counted', 'counted', refused])
  tries.close()
})

test('without Redis a replica counts for itself, and is not held up', async () => {
  const proxy = await proxyTo(servers().redis)
  const tries = await connected(proxy.url)
  proxy.cut()
  const trier = someone({ address: newAddress() })
  // The clock stands still: a try that waited for Redis would never end.
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  expect(
    await attempts(
      tries,
      times(4, () => trier),
    ),
  ).toEqual(['counted', 'counted', 'counted', 60])
  vi.useRealTimers()
  tries.close()
  await proxy.close()
})
