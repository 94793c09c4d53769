import type { Signin } from '@platter/contracts'
import { clientAddress, Problem, type Handler, type Db } from '@platter/kit'
import type { Passwords } from '#/password.ts'
import type { CredentialAttempts } from '#/store/credential-attempts.ts'
import type { UserStore } from '#/store/users.ts'

type Deps = { db: Db; users: (db: Db) => UserStore; passwords: Passwords; attempts: CredentialAttempts }

/**
 * A sign-in makes the user a user of the calling application (docs/interface.md, "Access to users and orders"). An unknown e-mail
 * address takes the same steps as a wrong password, and gets the same response.
 */
export function signin({ db, users, passwords, attempts }: Deps): Handler<typeof Signin> {
  return async ({ body: { email, password }, principal: { applicationId }, headers }) => {
    using hashing = passwords.acquirePermit(applicationId)
    const attempt = { email, address: clientAddress(headers), applicationId }
    await attempts.count(attempt)
    const store = users(db)
    const known = await store.findCredentials(email)
    const verdict = await hashing.verify(password, known?.passwordHash)
    if (!known || verdict === 'wrong') throw new Problem('invalid-credentials')
    await attempts.uncount(attempt)
    if (verdict === 'outdated') {
      await store.replaceHash(known.apiKey, { from: known.passwordHash, to: await hashing.hash(password) })
    }
    const owner = { userApiKey: known.apiKey, applicationId }
    await store.joinApplication(owner)
    const user = await store.find(owner)
    if (!user) throw new Error(`user ${known.apiKey} does not exist after a sign-in`)
    return user
  }
}
