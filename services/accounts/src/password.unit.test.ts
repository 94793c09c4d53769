import { argon2, argon2Sync } from 'node:crypto'
import { promisify } from 'node:util'
import { Secret } from '@platter/contracts'
import { overloaded } from '@platter/kit'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createPasswords, type Argon2 } from '#/password.ts'

const PEPPER = 'a pepper of at least thirty-two letters'
const PHC =
  /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+),keyid=([A-Za-z0-9+/]{6})\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/
/** The hash functions of one application, without requests of other applications. */
const passwordsWith = (...peppers: [string, ...string[]]) => createPasswords(peppers).acquirePermit('an app')
const base64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')

/** Returns the PHC string of the Argon2id hash of the password, without a pepper, with any parameters. */
function phcOf(message: string, memory: number, passes: number, nonce = Buffer.alloc(16, 7)): string {
  const tag = argon2Sync('argon2id', { message, nonce, memory, passes, parallelism: 1, tagLength: 32 })
  return `$argon2id$v=19$m=${memory},t=${passes},p=1$${base64(nonce)}$${base64(tag)}`
}

/** Expects the current parameters, and the tag that Argon2id computes from the salt, password and pepper. */
function expectHashOf(hash: string, message: string, pepper: string): void {
  const [, memory, passes, parallelism, , salt = '', tag] = PHC.exec(hash) ?? []
  expect({ memory, passes, parallelism }).toEqual({ memory: '19456', passes: '2', parallelism: '1' })
  const expected = argon2Sync('argon2id', {
    message,
    nonce: Buffer.from(salt, 'base64'),
    secret: Buffer.from(pepper),
    memory: 19_456,
    passes: 2,
    parallelism: 1,
    tagLength: 32,
  })
  expect(tag).toBe(base64(expected))
}

test('the hash function gives the Argon2id test vector of RFC 9106 (5.3), with its secret', () => {
  const tag = argon2Sync('argon2id', {
    message: Buffer.alloc(32, 1),
    nonce: Buffer.alloc(16, 2),
    secret: Buffer.alloc(8, 3),
    associatedData: Buffer.alloc(12, 4),
    memory: 32,
    passes: 3,
    parallelism: 4,
    tagLength: 32,
  })
  expect(tag.toString('hex')).toBe('0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659')
})

test('a hash that the reference implementation of Argon2 publishes is verified', async () => {
  const published = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'
  const { verify } = passwordsWith(PEPPER)
  expect(await verify(new Secret('password'), published)).toBe('outdated')
  expect(await verify(new Secret('passwore'), published)).toBe('wrong')
})

test('a hash contains its parameters, and neither the password nor the pepper', async () => {
  const hash = await passwordsWith(PEPPER).hash(new Secret('correct horse'))
  expect(hash).toMatch(PHC)
  expectHashOf(hash, 'correct horse', PEPPER)
  for (const secret of ['correct horse', PEPPER]) {
    expect(hash).not.toContain(secret)
    expect(hash).not.toContain(base64(Buffer.from(secret)).slice(0, 8))
  }
})

test('the same password twice gives two hashes', async () => {
  const { hash } = passwordsWith(PEPPER)
  const [one, other] = await Promise.all([
    hash(new Secret('correct horse')),
    hash(new Secret('correct horse')),
  ])
  expect(one).not.toBe(other)
})

test('accepts the password, and rejects one with another letter, case or space', async () => {
  const { hash, verify } = passwordsWith(PEPPER)
  const stored = await hash(new Secret('correct horse'))
  expect(await verify(new Secret('correct horse'), stored)).toBe('right')
  expect(await verify(new Secret('correct horsf'), stored)).toBe('wrong')
  expect(await verify(new Secret('Correct horse'), stored)).toBe('wrong')
  expect(await verify(new Secret(' correct horse'), stored)).toBe('wrong')
})

test('an accented letter is equal in composed and decomposed form', async () => {
  const { hash, verify } = passwordsWith(PEPPER)
  const decomposed = new Secret('cafe\u0301-latte')
  const stored = await hash(decomposed)
  expectHashOf(stored, 'caf\u00e9-latte', PEPPER)
  expect(await verify(new Secret('caf\u00e9-latte'), stored)).toBe('right')
  expect(await verify(decomposed, stored)).toBe('right')
})

test('a hash with other parameters is verified with those, and is outdated', async () => {
  const { verify } = passwordsWith(PEPPER)
  const old = phcOf('correct horse', 9_216, 4)
  expect(await verify(new Secret('correct horse'), old)).toBe('outdated')
  expect(await verify(new Secret('correct horsf'), old)).toBe('wrong')
})

test('with a new pepper an older hash is outdated; without its own pepper it verifies no password', async () => {
  const stored = await passwordsWith(PEPPER).hash(new Secret('correct horse'))
  const rotated = passwordsWith('another pepper of thirty-two letters', PEPPER)
  expect(await rotated.verify(new Secret('correct horse'), stored)).toBe('outdated')
  expect(await rotated.verify(new Secret('correct horsf'), stored)).toBe('wrong')
  const renewed = await rotated.hash(new Secret('correct horse'))
  expect(await rotated.verify(new Secret('correct horse'), renewed)).toBe('right')
  const { verify } = passwordsWith('another pepper of thirty-two letters')
  expect(await verify(new Secret('correct horse'), renewed)).toBe('right')
  await expect(verify(new Secret('correct horse'), stored)).rejects.toThrow(/a pepper that is not configured/)
})

test('a hash without a pepper is verified, and is outdated', async () => {
  const { verify } = passwordsWith(PEPPER)
  const old = phcOf('correct horse', 19_456, 2)
  expect(await verify(new Secret('correct horse'), old)).toBe('outdated')
  expect(await verify(new Secret('correct horsf'), old)).toBe('wrong')
})

test('a password without a stored hash is wrong, after the same Argon2 work as with one', async () => {
  // Counts calls, because their duration depends on the load of the machine.
  const argon2id = vi.fn<Argon2>(promisify(argon2))
  const { hash, verify } = createPasswords([PEPPER], argon2id).acquirePermit('an app')
  const stored = await hash(new Secret('correct horse'))
  const workOf = async (phc: string | undefined) => {
    argon2id.mockClear()
    expect(await verify(new Secret('a wrong one'), phc)).toBe('wrong')
    return argon2id.mock.calls.map(([algorithm, { message, nonce, secret, ...parameters }]) => ({
      algorithm,
      ...parameters,
      bytes: [message, nonce, secret ?? ''].map((input) => Buffer.byteLength(input as Buffer)),
    }))
  }
  const [withHash, without] = [await workOf(stored), await workOf(undefined)]
  expect(withHash).toHaveLength(1)
  expect(without).toEqual(withHash)
})

test('a malformed hash is an error and verifies no password', async () => {
  await expect(passwordsWith(PEPPER).verify(new Secret(''), '$2b$10$abc')).rejects.toThrow(/cannot be parsed/)
})

/** Returns a hash function that takes 30 ms of a fake clock. */
function hashByFakeClock() {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  return vi.fn<Argon2>(() => new Promise((resolve) => setTimeout(() => resolve(Buffer.alloc(32)), 30)))
}

test('503 overloaded for the 32nd concurrent request, and the other 31 are served', async () => {
  const { acquirePermit } = createPasswords([PEPPER], hashByFakeClock())
  const all = Array.from({ length: 32 }, async (_, index) => {
    using hashing = acquirePermit(`app ${index}`)
    return index % 2 === 0
      ? await hashing.hash(new Secret('correct horse'))
      : await hashing.verify(new Secret('correct horse'), undefined)
  })
  const settled = Promise.allSettled(all)
  await vi.advanceTimersByTimeAsync(10_000)
  const results = await settled
  expect(results.map(({ status }) => status)).toEqual([
    ...Array.from({ length: 31 }, () => 'fulfilled'),
    'rejected',
  ])
  expect(results[31]).toMatchObject({ reason: { code: 'overloaded' } })
  using hashing = acquirePermit('app 31')
  const next = hashing.hash(new Secret('correct horse'))
  await vi.advanceTimersByTimeAsync(10_000)
  await expect(next).resolves.toMatch(PHC)
})

test('an application at its limit leaves permits for the passwords of another one', () => {
  const { acquirePermit } = createPasswords([PEPPER])
  for (let acquired = 0; acquired < 21; acquired++) acquirePermit('noisy app')
  expect(() => acquirePermit('noisy app')).toThrow(overloaded().message)
  for (let acquired = 0; acquired < 7; acquired++) acquirePermit('another app')
})

test('continuous sign-ins use a whole core for one second, and then a third of it', async () => {
  const argon2id = hashByFakeClock()
  const { verify } = createPasswords([PEPPER], argon2id).acquirePermit('an app')
  const stop = new AbortController()
  const signIns = Array.from({ length: 20 }, async () => {
    while (!stop.signal.aborted) await verify(new Secret('a guess'), undefined)
  })
  await vi.advanceTimersByTimeAsync(1_000)
  expect(argon2id.mock.calls.length).toBe(34)
  await vi.advanceTimersByTimeAsync(9_000)
  expect(argon2id.mock.calls.length).toBe(134)
  stop.abort()
  await vi.advanceTimersByTimeAsync(3_000)
  await Promise.all(signIns)
})

test('a hash during which the machine stands still delays the next hashes no longer than a slow one', async () => {
  const argon2id = hashByFakeClock()
  const { verify } = createPasswords([PEPPER], argon2id).acquirePermit('an app')
  const first = verify(new Secret('a guess'), undefined)
  await vi.advanceTimersByTimeAsync(10)
  const now = performance.now()
  // Time passes, but no timer fires.
  vi.spyOn(performance, 'now').mockImplementation(() => now + 3_000)
  await vi.advanceTimersByTimeAsync(20)
  await first
  const others = Promise.all(Array.from({ length: 10 }, () => verify(new Secret('a guess'), undefined)))
  await vi.advanceTimersByTimeAsync(300)
  expect(argon2id).toHaveBeenCalledTimes(11)
  await others
})

const withoutWork: Argon2 = async () => Buffer.alloc(32)

test('a password of 30,000 combining marks is wrong, and costs no more than another long one', async () => {
  const { verify } = createPasswords([PEPPER], withoutWork).acquirePermit('an app')
  const marks = ['\u0315', '\u0300', '\u0316'].map((mark) => mark.repeat(10_000)).join('')
  const before = process.cpuUsage()
  expect(await verify(new Secret(`a${marks}`), undefined)).toBe('wrong')
  const { user } = process.cpuUsage(before)
  // NFC of this text alone takes a second.
  expect(user / 1_000).toBeLessThan(100)
})

test('the longest composition of the longest password is normalized', async () => {
  const messages: unknown[] = []
  const argon2id: Argon2 = async (_, { message }) => {
    messages.push(message)
    return Buffer.alloc(32)
  }
  const { hash } = createPasswords([PEPPER], argon2id).acquirePermit('an app')
  const composed = '\u{1D160}'.repeat(128)
  await hash(new Secret(composed))
  await hash(new Secret(composed.normalize('NFD')))
  expect(messages[0]).toBe(messages[1])
})
