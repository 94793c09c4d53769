import { hkdfSync, randomBytes } from 'node:crypto'
import type { IssuedAccessKey, KeyMode } from '@platter/contracts'
import {
  accessKeyPrefix,
  hashAccessKey,
  makeAccessKey,
  newApiKey,
  Problem,
  type InternalSecrets,
} from '@platter/kit'
import type { z } from 'zod'
import { modeOf } from '#/domain/key-mode.ts'

type Issued = z.output<typeof IssuedAccessKey>

/**
 * Access keys that can be shown again to whoever lost the answer, without being stored. A key is derived
 * (HKDF-SHA-256) from INTERNAL_SECRET and a nonce of 256 random bits. The answer that is kept under the
 * Idempotency-Key has the nonce where the access key belongs, and `reveal` puts the key there, the first time
 * as for every replay. Rows alone, a dump or a backup, give no key away; without an Idempotency-Key nothing
 * is kept but the hash. Whoever has the rows and INTERNAL_SECRET could sign any principal anyway.
 */
export function issuedAccessKeys(secrets: InternalSecrets) {
  const accessKeyOf = (nonce: string, mode: KeyMode, internalSecret: string = secrets[0]): string => {
    let block = 0
    return makeAccessKey(mode, (size) =>
      Buffer.from(hkdfSync('sha256', internalSecret, nonce, `platter access key ${block++}`, size)),
    )
  }
  return {
    /** A new access key: `kept` is for the database, `nonce` for the answer in place of the key. */
    issue(mode: KeyMode) {
      const nonce = randomBytes(32).toString('base64url')
      const accessKey = accessKeyOf(nonce, mode)
      return {
        nonce,
        kept: { id: newApiKey(), hash: hashAccessKey(accessKey), prefix: accessKeyPrefix(accessKey) },
      }
    },
    /** The answer with the access key in it. Throws Problem idempotency-mismatch when INTERNAL_SECRET has changed since. */
    reveal: (body: string): string => {
      const answer = JSON.parse(body) as Issued
      const accessKey = secrets
        .map((secret) => accessKeyOf(answer.accessKey, modeOf(answer.prefix), secret))
        .find((one) => accessKeyPrefix(one) === answer.prefix)
      if (accessKey === undefined) throw lost()
      return JSON.stringify({ ...answer, accessKey })
    },
  }
}

export type IssuedAccessKeys = ReturnType<typeof issuedAccessKeys>

const lost = () =>
  new Problem(
    'idempotency-mismatch',
    'The access key that was issued with this Idempotency-Key can no longer be shown. Issue another one.',
  )
