import { argon2Sync } from 'node:crypto'
import { Secret } from '@platter/contracts'
import { expect, test } from 'vitest'
import { passwordHasher } from './password.ts'

const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/

/** The tag that the password has under the parameters and the salt of the hash, as Argon2id makes it. */
function tagUnder(hash: string, password: string): string {
  const [, memory, passes, parallelism, salt = ''] = PHC.exec(hash) ?? []
  const tag = argon2Sync('argon2id', {
    message: password,
    nonce: Buffer.from(salt, 'base64'),
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    tagLength: 32,
  })
  return tag.toString('base64').replaceAll('=', '')
}

test('a hash says all that is needed to verify a password, and not the password', async () => {
  const hash = await passwordHasher()(new Secret('correct horse'))
  expect(hash).toMatch(PHC)
  expect(hash).toContain('$m=19456,t=2,p=1$')
  expect(hash.endsWith(`$${tagUnder(hash, 'correct horse')}`)).toBe(true)
  expect(hash.endsWith(`$${tagUnder(hash, 'correct horsf')}`)).toBe(false)
})

test('the same password twice gives two hashes', async () => {
  const hash = passwordHasher()
  const [one, other] = await Promise.all([
    hash(new Secret('correct horse')),
    hash(new Secret('correct horse')),
  ])
  expect(one).not.toBe(other)
})

test('an accented letter is the same letter, whichever keyboard it came from', async () => {
  const hash = await passwordHasher()(new Secret('cafe\u0301-latte'))
  expect(hash.endsWith(`$${tagUnder(hash, 'caf\u00e9-latte')}`)).toBe(true)
})

test('503 overloaded for the 23rd at once, and all others are served', async () => {
  const hash = passwordHasher()
  const all = Array.from({ length: 23 }, () => hash(new Secret('correct horse')))
  const ends = await Promise.allSettled(all)
  expect(ends.map(({ status }) => status)).toEqual([
    ...Array.from({ length: 22 }, () => 'fulfilled'),
    'rejected',
  ])
  expect(ends[22]).toMatchObject({ reason: { code: 'overloaded', retryAfterSeconds: 1 } })
  await expect(hash(new Secret('correct horse'))).resolves.toMatch(PHC)
})
