import { randomBytes } from 'node:crypto'
import { hashAccessKey, Problem, type internalCaller } from '@platter/kit'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { AccessKeys } from '#/access-keys.ts'
import { ImportedKeys, mayBeImported } from '#/imported-keys.ts'

const compiledIn = '9f2c1a7e-old-app-key'
/** The state of accounts: the imported hashes, its requests, and the problem that it responds with. */
const accounts = { imported: new Set<string>(), requests: 0, problem: null as Problem | null }

const call = (async (_: unknown, { known, hash }: { known?: string | null; hash?: string }) => {
  accounts.requests += 1
  if (accounts.problem) throw accounts.problem
  if (hash !== undefined)
    return { principal: accounts.imported.has(hash) ? { kind: 'operator', accessKeyId: 'a' } : null }
  const version = String(accounts.imported.size)
  return { version, hashes: version === known ? null : [...accounts.imported] }
}) as unknown as ReturnType<typeof internalCaller>

const importKey = (key: string) => void accounts.imported.add(hashAccessKey(key))

beforeEach(() => {
  accounts.imported = new Set()
  accounts.requests = 0
  accounts.problem = null
  vi.useFakeTimers({ toFake: ['performance'] })
})
afterEach(() => void vi.useRealTimers())

const newImportedKeys = () => new ImportedKeys(call)

test.each([
  [0, 1_000],
  [999, 1],
  [1_000, 0],
  [5_000, 0],
])('a key imported %i ms after a request for the list is recognized %i ms later', async (after, ms) => {
  const keys = newImportedKeys()
  expect(await keys.has(hashAccessKey(compiledIn))).toBe(false)
  vi.advanceTimersByTime(after)
  importKey(compiledIn)
  expect(await keys.has(hashAccessKey(compiledIn))).toBe(ms === 0)
  vi.advanceTimersByTime(ms)
  expect(await keys.has(hashAccessKey(compiledIn))).toBe(true)
  expect(accounts.requests).toBe(2)
})

test('a key imported during a request for the list is recognized a second after that request', async () => {
  const keys = newImportedKeys()
  const reading = keys.has(hashAccessKey(compiledIn))
  importKey(compiledIn)
  vi.advanceTimersByTime(400)
  expect(await reading).toBe(false)
  vi.advanceTimersByTime(600)
  expect(await keys.has(hashAccessKey(compiledIn))).toBe(true)
})

test('100,000 random keys in 10 seconds cost at most 11 requests to accounts', async () => {
  const keys = newImportedKeys()
  importKey(compiledIn)
  for (let count = 0; count < 100; count++) {
    vi.advanceTimersByTime(100)
    for (const garbage of Array.from({ length: 1_000 }, () => randomBytes(24).toString('base64url')))
      if (mayBeImported(garbage)) await keys.has(hashAccessKey(garbage))
  }
  expect(accounts.requests).toBeLessThanOrEqual(11)
})

test('many unknown keys at the same time share one request', async () => {
  const keys = newImportedKeys()
  await Promise.all(
    Array.from({ length: 100 }, () => keys.has(hashAccessKey(randomBytes(16).toString('hex')))),
  )
  expect(accounts.requests).toBe(1)
})

test('while accounts is unavailable, known imported keys stay valid, and an unknown key is 503 if no list was ever read', async () => {
  const unavailable = new Problem('service-unavailable', 'Try again.')
  accounts.problem = unavailable
  await expect(newImportedKeys().has(hashAccessKey(compiledIn))).rejects.toBe(unavailable)
  accounts.problem = null
  importKey(compiledIn)
  const keys = newImportedKeys()
  expect(await keys.has(hashAccessKey(compiledIn))).toBe(true)
  accounts.problem = unavailable
  vi.advanceTimersByTime(5_000)
  expect(await keys.has(hashAccessKey(compiledIn))).toBe(true)
  expect(await keys.has(hashAccessKey('another key of an app'))).toBe(false)
})

test.each(['short', 'x'.repeat(129), 'with a blank in it', 'mit-Umlaut-ä-dabei', 'platter_live_mistyped'])(
  '%j is no imported key',
  (text) => {
    expect(mayBeImported(text)).toBe(false)
  },
)

test('an imported key does not count as a bad key, and an unknown key of its shape does', async () => {
  importKey(compiledIn)
  const keys = new AccessKeys(call)
  const use = (key: string, address: string) => keys.principalOf(key, { requestId: 'r', address })
  for (let count = 0; count < 100; count++)
    expect(await use(compiledIn, '203.0.113.7')).toMatchObject({ accessKeyId: 'a' })
  for (let count = 0; count < 30; count++)
    await expect(use('garbage-of-that-shape', '203.0.113.8')).rejects.toMatchObject({
      code: 'access-token-invalid',
    })
  await expect(use('garbage-of-that-shape', '203.0.113.8')).rejects.toMatchObject({ code: 'rate-limited' })
})
