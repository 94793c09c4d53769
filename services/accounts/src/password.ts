import { argon2, createHash, randomBytes, timingSafeEqual, type Argon2Parameters } from 'node:crypto'
import { promisify } from 'node:util'
import type { Secret } from '@platter/contracts'
import { ADMISSION_POLICIES, ConcurrencyLimit } from '@platter/kit'

type Parameters = { memory: number; passes: number; parallelism: number }
/** `keyId` identifies the pepper; absent in a hash without a pepper, from an earlier version. */
type Hash = Parameters & { keyId: string | undefined; salt: Buffer; tag: Buffer }

/** The minimum that OWASP recommends for Argon2id: 19 MiB (in KiB), two passes. 22 to 30 ms on a quiet core. */
const CURRENT: Parameters = { memory: 19_456, passes: 2, parallelism: 1 }
const SALT_BYTES = 16
const TAG_BYTES = 32

/**
 * The share of one core's time, after one second of continuous sign-ins: 33 sign-ins in that second, then 11 per second. Meanwhile
 * an order on two cores takes 1.2 times as long as without sign-ins; with a whole core of hashes it takes 1.4 times (`npm run
 * signins`).
 */
const SHARE = 1 / 3
/** Milliseconds of rest that hashes after a pause may postpone. */
const UNRESTED_MS = 2_000
/**
 * The longest time that a hash counts, because a longer one has waited for the CPU. Otherwise no password was hashed for 4 s or longer
 * after a standstill of the machine of 3 s, and requests reached their deadline.
 */
const LONGEST_HASH_MS = 250
/** `outdated`: the password is correct, but its hash has outdated parameters or pepper and must be replaced. */
type Verdict = 'right' | 'outdated' | 'wrong'

/** The hash function of node:crypto. */
export type Argon2 = (algorithm: 'argon2id', parameters: Argon2Parameters) => Promise<Buffer>

/**
 * Hashes passwords with Argon2id and verifies them, one at a time. The PHC string of a hash contains its parameters, so the
 * constants above may increase later.
 *
 * A pepper is a secret input of each hash that no database stores: an attacker with only the rows cannot test a password. New
 * hashes use the first pepper. The other peppers verify older hashes, until their users sign in.
 */
export function createPasswords(
  [pepper, ...formerly]: readonly [string, ...string[]],
  argon2id: Argon2 = promisify(argon2),
) {
  const sequentially = oneAtATime()
  const limit = new ConcurrencyLimit({ permits: ADMISSION_POLICIES.password.service })
  const keyId = keyIdOf(pepper)
  const peppers = new Map([pepper, ...formerly].map((one) => [keyIdOf(one), Buffer.from(one)]))

  /** The beginning of a current PHC string. */
  const prefix = `$argon2id$v=19$m=${CURRENT.memory},t=${CURRENT.passes},p=${CURRENT.parallelism},keyid=${keyId}$`
  const toPhc = (salt: Buffer, tag: Buffer): string => `${prefix}${base64(salt)}$${base64(tag)}`
  const unknownUser = toPhc(randomBytes(SALT_BYTES), randomBytes(TAG_BYTES))
  const isCurrent = (phc: string) => phc.startsWith(prefix) && phc.length === unknownUser.length

  function derive(password: Secret, hash: Omit<Hash, 'tag'>, tagLength: number): Promise<Buffer> {
    const { memory, passes, parallelism, salt } = hash
    const secret = hash.keyId === undefined ? undefined : peppers.get(hash.keyId)
    if (hash.keyId !== undefined && !secret)
      throw new Error('a stored password hash needs a pepper that is not configured')
    const message = normalized(password.reveal())
    const parameters = { message, nonce: salt, memory, passes, parallelism, tagLength }
    return argon2id('argon2id', { ...parameters, ...(secret && { secret }) })
  }

  const hash = (password: Secret): Promise<string> =>
    sequentially(async () => {
      const salt = randomBytes(SALT_BYTES)
      return toPhc(salt, await derive(password, { ...CURRENT, keyId, salt }, TAG_BYTES))
    })

  /**
   * Compares the password with the hash. Without a hash, the result is `wrong` after equal work, so the duration does not reveal
   * whether the user exists. A hash with other parameters takes a different time, until its user signs in.
   */
  const verify = (password: Secret, phc: string | undefined): Promise<Verdict> =>
    sequentially(async () => {
      const { tag, ...parameters } = fromPhc(phc ?? unknownUser)
      const derived = await derive(password, parameters, tag.length)
      if (!timingSafeEqual(derived, tag) || phc === undefined) return 'wrong'
      return isCurrent(phc) ? 'right' : 'outdated'
    })

  return {
    /**
     * Acquires a permit for one request that hashes; applications share the permits fairly. Throws Problem overloaded without a
     * free permit. Acquire it before the request counts as an attempt or costs more than a read. Requests that are rejected later
     * use more of the machine than all hashes, and use up attempts.
     */
    acquirePermit: (applicationId: string) => {
      const permit = limit.acquire(applicationId)
      return { hash, verify, [Symbol.dispose]: () => permit.release() }
    },
  }
}
export type Passwords = ReturnType<typeof createPasswords>

/** 32 bits of a hash: enough to distinguish peppers, too few to reveal one. */
const keyIdOf = (pepper: string): string =>
  base64(createHash('sha256').update('key id of a pepper').update(pepper).digest().subarray(0, 4))

/**
 * In UTF-16 code units. A new password has 128 characters, which are at most 768 units in any composition. A sign-in accepts a longer
 * one, which is wrong. It is not normalized, because NFC takes quadratic time: 1.1 s for 30,000 combining marks.
 */
const NORMALIZED_UP_TO = 1_024

/** Keyboards compose an accented letter in different ways; NFC makes the passwords equal. */
const normalized = (password: string): string =>
  password.length > NORMALIZED_UP_TO ? password : password.normalize('NFC')

const base64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')

const PHC =
  /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)(?:,keyid=([A-Za-z0-9+/]+))?\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

/** Parses a hash. Throws for a text that `toPhc` cannot have created. */
function fromPhc(text: string): Hash {
  const [, memory, passes, parallelism, keyId, salt, tag] = PHC.exec(text) ?? []
  if (salt === undefined || tag === undefined) throw new Error('a stored password hash cannot be parsed')
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    keyId,
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  }
}

/**
 * Uses at most one core on any machine; for more sign-ins, run more replicas. The threads of libuv also resolve host names: with four
 * of them, 64 concurrent hashes delayed every outgoing request by 1.5 s.
 */
function oneAtATime() {
  const limit = new ConcurrencyLimit({ permits: 1 })
  /** The time by `performance.now()` at which the rests after all previous hashes would end. */
  let restedAt = 0
  async function sequentially<T>(work: () => Promise<T>): Promise<T> {
    const permit = await limit.wait()
    const began = performance.now()
    try {
      return await work()
    } finally {
      const rest = restAfter(began)
      if (rest > 0) setTimeout(() => permit.release(), rest)
      else permit.release()
    }
  }
  /** Returns the milliseconds to rest after work that began at that time. */
  function restAfter(began: number): number {
    const now = performance.now()
    restedAt = Math.max(restedAt, began) + Math.min(now - began, LONGEST_HASH_MS) / SHARE
    return restedAt - now - UNRESTED_MS
  }
  return sequentially
}
