import { randomBytes } from 'node:crypto'
import { hashAccessKey, makeAccessKey, Problem, reasonOf, type internalCaller } from '@platter/kit'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { AccessKeys } from '#/access-keys.ts'

let requests: number
/** Runs while accounts handles a request. */
let meanwhile: () => void
let keys: AccessKeys
/** Hashes of the keys that accounts accepts. */
const validHashes = new Set<string>()

beforeEach(() => {
  requests = 0
  meanwhile = () => undefined
  const call = async (_: unknown, { hash }: { hash: string }) => {
    requests += 1
    const principal = validHashes.has(hash) ? { kind: 'operator', accessKeyId: 'known' } : null
    meanwhile()
    return { principal }
  }
  keys = new AccessKeys(call as unknown as ReturnType<typeof internalCaller>)
})

const use = (key: string | undefined, address: string) =>
  keys.principalOf(key, { requestId: 'r', address }).catch((error: unknown) => {
    if (error instanceof Problem) return error.code
    throw error
  })
const useMany = (count: number, addressOf: (at: number) => string, keyOf: () => string) =>
  Promise.all(Array.from({ length: count }, (_, at) => use(keyOf(), addressOf(at))))

const mistypedKey = () => `${makeAccessKey('live').slice(0, -1)}!`

test('ten thousand mistyped keys cost no request to accounts', async () => {
  const results = await useMany(10_000, (at) => `198.51.${at >> 8}.${at & 255}`, mistypedKey)
  expect(new Set(results)).toEqual(new Set(['access-token-invalid']))
  expect(requests).toBe(0)
})

test.each([
  ['well-formed', () => makeAccessKey('live')],
  ['random', () => randomBytes(24).toString('base64url')],
])(
  'of a thousand %s unknown keys from one address 30 reach accounts, and the others are 429',
  async (_, keyOf) => {
    const results: unknown[] = []
    for (let count = 0; count < 1_000; count++) results.push(await use(keyOf(), '203.0.113.7'))
    expect(results.filter((result) => result === 'access-token-invalid')).toHaveLength(30)
    expect(results.filter((result) => result === 'rate-limited')).toHaveLength(970)
    expect(requests).toBe(30)
  },
)

test.each([
  'x'.repeat(15),
  'x'.repeat(129),
  'with a blank in it',
  'mit-Umlaut-ä-dabei',
  'platter_live_mistyped',
  'platter_test_mistyped',
])('%j is no imported key, and costs no request', async (text) => {
  validHashes.add(hashAccessKey(text))
  expect(await use(text, '203.0.113.11')).toBe('access-token-invalid')
  expect(requests).toBe(0)
})

test('an imported key does not count as a bad key', async () => {
  const compiledIn = '9f2c1a7e-old-app-key'
  validHashes.add(hashAccessKey(compiledIn))
  for (let count = 0; count < 100; count++)
    expect(await use(compiledIn, '203.0.113.12')).toMatchObject({ accessKeyId: 'known' })
})

test('a key that is imported after a request with it is accepted a second after that request', async () => {
  stopClock()
  const compiledIn = '4a7d0b66-old-app-key'
  expect(await use(compiledIn, '203.0.113.13')).toBe('access-token-invalid')
  validHashes.add(hashAccessKey(compiledIn))
  vi.advanceTimersByTime(999)
  expect(await use(compiledIn, '203.0.113.13')).toBe('access-token-invalid')
  vi.advanceTimersByTime(1)
  expect(await use(compiledIn, '203.0.113.13')).toMatchObject({ accessKeyId: 'known' })
})

test('all addresses of an IPv6 network count as one', async () => {
  const results: unknown[] = []
  for (let count = 0; count < 100; count++)
    results.push(await use(makeAccessKey('live'), `2001:db8:1:2::${count.toString(16)}`))
  expect(results.filter((result) => result === 'access-token-invalid')).toHaveLength(30)
  expect(await use(makeAccessKey('live'), '2001:db8:1:3::1')).toBe('access-token-invalid')
})

test('a check whether a key is still valid is not limited by address, and counts as no bad key', async () => {
  const [revoked, other] = [makeAccessKey('live'), makeAccessKey('live')]
  validHashes.add(hashAccessKey(other))
  await use(other, '203.0.113.7')
  for (let count = 0; count < 31; count++) await use(revoked, '203.0.113.7')
  expect(await use(revoked, '203.0.113.7')).toBe('rate-limited')
  expect(await keys.isStillValid(revoked)).toBe(false)
  expect(await keys.isStillValid(other)).toBe(true)
  for (let count = 0; count < 31; count++) await keys.isStillValid(revoked)
  expect(await use(makeAccessKey('live'), '203.0.113.9')).toBe('access-token-invalid')
})

test('a missing key is 401, and costs no request and no attempt', async () => {
  expect(
    new Set(
      await useMany(
        100,
        () => '203.0.113.8',
        () => '',
      ),
    ),
  ).toEqual(new Set(['access-token-missing']))
  expect(await use(undefined, '203.0.113.8')).toBe('access-token-missing')
  expect(await use(makeAccessKey('live'), '203.0.113.8')).toBe('access-token-invalid')
  expect(requests).toBe(1)
})

/** Stops the clock of the cache until the test ends. */
function stopClock(): void {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
}

test('a revoked key is rejected a second after the last request that validated it', async () => {
  stopClock()
  const key = makeAccessKey('live')
  validHashes.add(hashAccessKey(key))
  // The second counts from the request to accounts. The key is revoked during its 0.4 s.
  meanwhile = () => {
    validHashes.clear()
    vi.advanceTimersByTime(400)
  }
  expect(await use(key, '203.0.113.10')).toMatchObject({ accessKeyId: 'known' })
  vi.advanceTimersByTime(599)
  expect(await use(key, '203.0.113.10'), 'cached for a second').toMatchObject({ accessKeyId: 'known' })
  expect(requests).toBe(1)
  vi.advanceTimersByTime(1)
  expect(await use(key, '203.0.113.10')).toBe('access-token-invalid')
  expect(await keys.isStillValid(key)).toBe(false)
})

test('the rejection of an overload uses an expired entry of a key while it is revalidated', async () => {
  stopClock()
  const key = makeAccessKey('live')
  expect(keys.lastKnown(key), 'no request has used it').toBeNull()
  validHashes.add(hashAccessKey(key))
  await use(key, '203.0.113.9')
  expect(keys.lastKnown(key)).toMatchObject({ accessKeyId: 'known' })
  expect(requests).toBe(1)
  validHashes.clear()
  vi.advanceTimersByTime(1_001)
  expect(keys.lastKnown(key)).not.toBeNull()
  expect(requests).toBe(2)
  await expect.poll(() => keys.lastKnown(key)).toBeNull()
})

test('a thousand readiness checks cost one request to accounts, and fail without its address when it does not respond', async () => {
  stopClock()
  await Promise.all(Array.from({ length: 500 }, () => keys.check()))
  for (let count = 0; count < 500; count++) await keys.check()
  expect(requests).toBe(1)
  meanwhile = () => {
    const cause = new Error('accounts: connect ECONNREFUSED 10.0.0.7:8080')
    throw new Problem('service-unavailable', 'accounts does not respond', { cause })
  }
  vi.advanceTimersByTime(1_001)
  expect(await keys.check().catch(reasonOf)).toBe('does not resolve access keys')
})

test('while accounts is unavailable, a key that was valid is accepted for 30 s, and its streams continue', async () => {
  stopClock()
  const [key, other] = [makeAccessKey('live'), makeAccessKey('live')]
  validHashes.add(hashAccessKey(key)).add(hashAccessKey(other))
  expect(await use(key, '203.0.113.14')).toMatchObject({ accessKeyId: 'known' })
  meanwhile = () => {
    throw new Problem('service-unavailable', 'accounts does not respond')
  }
  expect(await use(other, '203.0.113.14'), 'a key that was not used').toBe('service-unavailable')
  vi.advanceTimersByTime(29_999)
  expect(await use(key, '203.0.113.14')).toMatchObject({ accessKeyId: 'known' })
  expect(keys.lastKnown(key)).not.toBeNull()
  vi.advanceTimersByTime(1_000)
  expect(await use(key, '203.0.113.14')).toBe('service-unavailable')
  expect(keys.lastKnown(key)).toBeNull()
  expect(await keys.isStillValid(key)).toBe(true)
})
