import { Secret, Signin, UpdateUser } from '@platter/contracts'
import { createLog, newApiKey, type Call } from '@platter/kit'
import { migratedDatabase, servers } from '@platter/testkit'
import { callOf } from '@platter/testkit/call'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPasswords } from '#/password.ts'
import { postgresApplications } from '#/store/applications.ts'
import { redisCredentialAttempts, type CredentialAttempts } from '#/store/credential-attempts.ts'
import { postgresUsers } from '#/store/users.ts'
import { signin } from '#/routes/signin.ts'
import { updateUser } from '#/routes/update-user.ts'

const log = createLog('test', 'fatal')
const PASSWORD = new Secret('a long enough password')
const PEPPER = 'a pepper of at least thirty-two letters'
const { db } = await migratedDatabase('accounts')
let attempts: CredentialAttempts

beforeAll(async () => {
  const policy = {
    TRIES_PER_EMAIL: 1_000,
    TRIES_PER_ADDRESS: 1_000,
    TRIES_PER_APPLICATION: 1_000,
  }
  attempts = redisCredentialAttempts({ REDIS_URL: servers().redis, ...policy }, log)
})
afterAll(() => attempts.close())

/** Creates an application with one user. Returns its operations at a replica that hashes with `passwords`. */
async function anApplication(passwords: ReturnType<typeof createPasswords>) {
  const [applicationId, apiKey] = [newApiKey(), newApiKey()]
  const email = `${apiKey}@example.org`
  const person = { firstName: 'Maria', lastName: 'Lindqvist', phone: '608-555-0142' }
  await postgresApplications(db).insert({ id: applicationId, name: 'an app' })
  const passwordHash = await createPasswords([PEPPER]).acquirePermit(applicationId).hash(PASSWORD)
  await postgresUsers(db).insert({ apiKey, email, passwordHash, ...person }, applicationId)
  const context = {
    principal: { kind: 'application', applicationId, accessKeyId: newApiKey(), mode: 'live' },
    headers: { 'x-client-address': '203.0.113.7' },
  } as const
  const update = (body: Call<typeof UpdateUser>['body'], userApiKey = apiKey) => {
    const call = callOf(UpdateUser, { ...context, params: { apiKey: userApiKey }, body })
    return updateUser({ tenantDb: () => db, users: postgresUsers, passwords })(call)
  }
  const signIn = () => {
    const call = callOf(Signin, { ...context, body: { email, password: PASSWORD } })
    return signin({ db, users: postgresUsers, passwords, attempts })(call)
  }
  return { apiKey, update, signIn }
}

/** Returns passwords without a free permit: 31 applications have acquired one each. */
function passwordsAtLimit() {
  const passwords = createPasswords([PEPPER])
  for (let acquired = 0; acquired < 31; acquired++) passwords.acquirePermit(newApiKey())
  return passwords
}

test('40 concurrent updates with a password leave permits for sign-ins of another application', async () => {
  const passwords = createPasswords([PEPPER])
  const [noisy, other] = [await anApplication(passwords), await anApplication(passwords)]
  const updates = Array.from({ length: 40 }, () => noisy.update({ password: PASSWORD }))
  const settled = Promise.allSettled(updates)
  // The first rejection shows that the application has acquired all permits that it may have.
  const { promise: rejected, resolve } = Promise.withResolvers<unknown>()
  for (const update of updates) update.catch(resolve)
  expect(await Promise.race([rejected, settled])).toMatchObject({ code: 'overloaded' })
  expect(await Promise.all([other.signIn(), other.signIn(), other.signIn()])).toMatchObject(
    Array.from({ length: 3 }, () => ({ apiKey: other.apiKey })),
  )
  const served = (await settled).filter(({ status }) => status === 'fulfilled').length
  expect(served).toBeGreaterThanOrEqual(21)
})

test('an update with a password is 404 for an unknown user, and needs no permit for hashing', async () => {
  const { update } = await anApplication(passwordsAtLimit())
  await expect(update({ password: PASSWORD }, newApiKey())).rejects.toMatchObject({ code: 'user-not-found' })
})

test('an update without a password needs no permit for hashing', async () => {
  const { update } = await anApplication(passwordsAtLimit())
  await expect(update({ password: PASSWORD })).rejects.toMatchObject({ code: 'overloaded' })
  expect(await update({ firstName: 'Marie' })).toMatchObject({
    body: expect.stringContaining('"firstName":"Marie"') as unknown,
  })
})
