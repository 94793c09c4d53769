import type { Signin } from '@platter/contracts'
import { Problem, type Handler } from '@platter/kit'
import { INVALID_CREDENTIALS } from '#/domain/refusals.ts'
import type { Passwords } from '#/password.ts'
import type { Db } from '#/store/tables.ts'
import type { Tries } from '#/store/tries.ts'
import { findCredentials, joinApplication, readUser, replaceHash } from '#/store/users.ts'
import { trierOf } from '#/trier.ts'

type Needs = { db: Db; passwords: Passwords; tries: Tries }

/**
 * Whoever knows the pair is a user of the calling application from now on (docs/interface.md, "Access to users and orders").
 * Up to the verdict everything is the same for an e-mail that nobody has.
 */
export function signin({ db, passwords, tries }: Needs): Handler<typeof Signin> {
  return async ({ body: { email, password }, principal: { applicationId }, headers }) => {
    using hashing = passwords.enter(applicationId)
    const trier = trierOf(email, headers, applicationId)
    await tries.count(trier)
    const known = await findCredentials(db, email)
    const verdict = await hashing.verify(password, known?.passwordHash)
    if (!known || verdict === 'wrong') throw Problem.refusal(INVALID_CREDENTIALS)
    await tries.takeBack(trier)
    if (verdict === 'outdated') {
      await replaceHash(db, known.apiKey, { from: known.passwordHash, to: await hashing.hash(password) })
    }
    const owner = { userApiKey: known.apiKey, applicationId }
    await joinApplication(db, owner)
    const user = await readUser(db, owner)
    if (!user) throw new Error('a user who signed in is not there')
    return user
  }
}
