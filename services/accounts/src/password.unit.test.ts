import { argon2Sync } from 'node:crypto'
import { Secret } from '@platter/contracts'
import { expect, test } from 'vitest'
import { createPasswords } from './password.ts'

const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/
const base64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')

/** The PHC string that Argon2id makes of the password, by whichever parameters. */
function phcOf(message: string, memory: number, passes: number, nonce = Buffer.alloc(16, 7)): string {
  const tag = argon2Sync('argon2id', { message, nonce, memory, passes, parallelism: 1, tagLength: 32 })
  return `$argon2id$v=19$m=${memory},t=${passes},p=1$${base64(nonce)}$${base64(tag)}`
}

const saltIn = (phc: string) => Buffer.from(PHC.exec(phc)?.[4] ?? '', 'base64')

test('a hash says all that is needed to verify a password, and not the password', async () => {
  const hash = await createPasswords().hash(new Secret('correct horse'))
  expect(hash).toMatch(PHC)
  expect(hash).toBe(phcOf('correct horse', 19_456, 2, saltIn(hash)))
})

test('the same password twice gives two hashes', async () => {
  const { hash } = createPasswords()
  const [one, other] = await Promise.all([
    hash(new Secret('correct horse')),
    hash(new Secret('correct horse')),
  ])
  expect(one).not.toBe(other)
})

test('the right password is right, every other is wrong', async () => {
  const { hash, verify } = createPasswords()
  const kept = await hash(new Secret('correct horse'))
  expect(await verify(new Secret('correct horse'), kept)).toBe('right')
  expect(await verify(new Secret('correct horsf'), kept)).toBe('wrong')
  expect(await verify(new Secret('Correct horse'), kept)).toBe('wrong')
  expect(await verify(new Secret(' correct horse'), kept)).toBe('wrong')
})

test('an accented letter is the same letter, whichever keyboard it came from', async () => {
  const { hash, verify } = createPasswords()
  const decomposed = new Secret('cafe\u0301-latte')
  const kept = await hash(decomposed)
  expect(kept).toBe(phcOf('caf\u00e9-latte', 19_456, 2, saltIn(kept)))
  expect(await verify(new Secret('caf\u00e9-latte'), kept)).toBe('right')
  expect(await verify(decomposed, kept)).toBe('right')
})

test('a hash by other parameters is verified by those, and is outdated', async () => {
  const { verify } = createPasswords()
  const old = phcOf('correct horse', 9_216, 4)
  expect(await verify(new Secret('correct horse'), old)).toBe('outdated')
  expect(await verify(new Secret('correct horsf'), old)).toBe('wrong')
})

test('without a hash a password is wrong, and that takes as long as with one', async () => {
  const { hash, verify } = createPasswords()
  const kept = await hash(new Secret('correct horse'))
  const fastest = async (phc: string | undefined) => {
    const times: number[] = []
    for (let round = 0; round < 15; round++) {
      const begun = performance.now()
      expect(await verify(new Secret('a wrong one'), phc)).toBe('wrong')
      times.push(performance.now() - begun)
    }
    return Math.min(...times)
  }
  const [withHash, without] = [await fastest(kept), await fastest(undefined)]
  expect(Math.max(withHash, without) / Math.min(withHash, without)).toBeLessThan(1.5)
})

test('what cannot be read as a hash is our mistake, and lets nobody in', async () => {
  await expect(createPasswords().verify(new Secret(''), '$2b$10$abc')).rejects.toThrow(/cannot be read/)
})

test('503 overloaded for the 23rd at once, and all others are served', async () => {
  const { hash, verify } = createPasswords()
  const all = Array.from({ length: 23 }, (_, index) =>
    index % 2 === 0 ? hash(new Secret('correct horse')) : verify(new Secret('correct horse'), undefined),
  )
  const ends = await Promise.allSettled(all)
  expect(ends.map(({ status }) => status)).toEqual([
    ...Array.from({ length: 22 }, () => 'fulfilled'),
    'rejected',
  ])
  expect(ends[22]).toMatchObject({ reason: { code: 'overloaded', retryAfterSeconds: 1 } })
  await expect(hash(new Secret('correct horse'))).resolves.toMatch(PHC)
})
