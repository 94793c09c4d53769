import { argon2Sync } from 'node:crypto'
import { Secret, Signin } from '@platter/contracts'
import { createLog, newApiKey } from '@platter/kit'
import { migratedDatabase, servers } from '@platter/testkit'
import { callOf } from '@platter/testkit/call'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPasswords } from '#/password.ts'
import { postgresApplications } from '#/store/applications.ts'
import { redisCredentialAttempts, type CredentialAttempts } from '#/store/credential-attempts.ts'
import { postgresUsers } from '#/store/users.ts'
import { signin } from '#/routes/signin.ts'

const log = createLog('test', 'fatal')
const PASSWORD = 'a long enough password'
const PEPPER = 'a pepper of at least thirty-two letters'
const { db } = await migratedDatabase('accounts')
let attempts: CredentialAttempts

beforeAll(async () => {
  attempts = redisCredentialAttempts(
    {
      REDIS_URL: servers().redis,
      TRIES_PER_EMAIL: 10,
      TRIES_PER_ADDRESS: 30,
      TRIES_PER_APPLICATION: 1_000,
    },
    log,
  )
})
afterAll(() => attempts.close())

/** Returns a hash with outdated parameters: 8 MiB and one pass. */
function outdatedHashOf(message: string): string {
  const nonce = Buffer.alloc(16, 7)
  const tag = argon2Sync('argon2id', {
    message,
    nonce,
    memory: 8_192,
    passes: 1,
    parallelism: 1,
    tagLength: 32,
  })
  return `$argon2id$v=19$m=8192,t=1,p=1$${[nonce, tag].map((bytes) => bytes.toString('base64').replaceAll('=', '')).join('$')}`
}

/** Creates a user whose stored hash is outdated. */
async function aUserWithOutdatedHash() {
  const [apiKey, applicationId] = [newApiKey(), newApiKey()]
  const email = `${apiKey}@example.org`
  const person = { firstName: 'Maria', lastName: 'Lindqvist', phone: '608-555-0142' }
  await postgresApplications(db).insert({ id: applicationId, name: 'an app' })
  await postgresUsers(db).insert(
    { apiKey, email, passwordHash: outdatedHashOf(PASSWORD), ...person },
    applicationId,
  )
  const readHash = async () => {
    const { rows } = await sql<{ hash: string }>`
      select password_hash as hash from users where api_key = ${apiKey}`.execute(db)
    return rows[0]?.hash
  }
  const signInWith = (password: string, passwords = createPasswords([PEPPER])) => {
    const call = callOf(Signin, {
      body: { email, password: new Secret(password) },
      principal: { kind: 'application', applicationId, accessKeyId: 'key-1', mode: 'live' },
      headers: { 'x-client-address': '203.0.113.7' },
    })
    return signin({ db, users: postgresUsers, passwords, attempts })(call)
  }
  return { apiKey, readHash, signInWith }
}

test("a password with an outdated hash is hashed again with today's parameters, and stays valid", async () => {
  const { apiKey, readHash, signInWith } = await aUserWithOutdatedHash()
  expect(await signInWith(PASSWORD)).toMatchObject({ apiKey })
  const renewed = await readHash()
  expect(renewed).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1,keyid=[A-Za-z0-9+/]{6}\$/)
  expect(await signInWith(PASSWORD)).toMatchObject({ apiKey })
  expect(await readHash(), 'a current hash is not replaced').toBe(renewed)
})

test('a wrong password renews no hash', async () => {
  const { readHash, signInWith } = await aUserWithOutdatedHash()
  await expect(signInWith('not the password')).rejects.toMatchObject({ code: 'invalid-credentials' })
  expect(await readHash()).toBe(outdatedHashOf(PASSWORD))
})

test('a sign-in that is 503 overloaded uses up no attempt', async () => {
  const { apiKey, signInWith } = await aUserWithOutdatedHash()
  const passwords = createPasswords([PEPPER])
  const permits = Array.from({ length: 31 }, (_, index) => passwords.acquirePermit(`app ${index}`))
  for (let time = 0; time < 20; time++)
    await expect(signInWith(PASSWORD, passwords)).rejects.toMatchObject({ code: 'overloaded' })
  for (const permit of permits) permit[Symbol.dispose]()
  expect(await signInWith(PASSWORD, passwords)).toMatchObject({ apiKey })
})

test('the renewal of a hash does not overwrite a password that was changed meanwhile', async () => {
  const { apiKey, readHash } = await aUserWithOutdatedHash()
  await postgresUsers(db).replaceHash(apiKey, { from: 'the hash that was verified', to: 'its renewal' })
  expect(await readHash()).toBe(outdatedHashOf(PASSWORD))
})
