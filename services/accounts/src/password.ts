import { argon2, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import type { Secret } from '@platter/contracts'
import { Problem } from '@platter/kit'

/** The least that OWASP recommends for Argon2id: 19 MiB, two passes. 22 ms on a quiet core. */
const MEMORY_KIB = 19_456
const PASSES = 2
const PARALLELISM = 1
const SALT_BYTES = 16
const TAG_BYTES = 32

/** libuv has four threads, which look up host names as well: 64 hashes at once held up every outgoing call for 1.5 s. */
const AT_ONCE = 2
/** Some 0.2 s of waiting at most; who comes later is better served by trying again. */
const MAX_WAITING = 20

const derive = promisify(argon2)
const base64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')

/**
 * Hashes passwords with Argon2id into PHC strings, which say by what they were made, so that the numbers above
 * may grow. Throws Problem overloaded when too many wait already.
 */
export function passwordHasher() {
  const inTurn = atMost(AT_ONCE, MAX_WAITING)
  return function hash(password: Secret): Promise<string> {
    return inTurn(async () => {
      const salt = randomBytes(SALT_BYTES)
      const tag = await derive('argon2id', {
        // Keyboards differ in how they compose an accented letter; it is the same password.
        message: password.reveal().normalize('NFC'),
        nonce: salt,
        memory: MEMORY_KIB,
        passes: PASSES,
        parallelism: PARALLELISM,
        tagLength: TAG_BYTES,
      })
      return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${PARALLELISM}$${base64(salt)}$${base64(tag)}`
    })
  }
}
export type PasswordHasher = ReturnType<typeof passwordHasher>

function atMost(atOnce: number, maxWaiting: number) {
  let running = 0
  const waiting: (() => void)[] = []
  return async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (running < atOnce) running++
    else if (waiting.length < maxWaiting) await new Promise<void>((resolve) => waiting.push(resolve))
    else throw new Problem('overloaded', 'Too many people are registering at this moment. Please try again.')
    try {
      return await work()
    } finally {
      // Handed over rather than given up, so that a newcomer cannot slip in before those who wait.
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
