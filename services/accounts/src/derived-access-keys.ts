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
import type { StoredKey } from '#/store/access-keys.ts'

type Issued = z.output<typeof IssuedAccessKey>

/** A new access key. In the stored response, `nonce` replaces the key. */
export type NewKey = { nonce: string; stored: StoredKey }

/**
 * Issues access keys that a replay returns again although they are not stored. A key is derived (HKDF-SHA-256) from INTERNAL_SECRET
 * and a nonce of 256 random bits. The response under the Idempotency-Key contains the nonce, and `reveal` replaces it with the key
 * in the first response and in replays. A dump or backup of the rows contains no key; without an Idempotency-Key only the hash is
 * stored. INTERNAL_SECRET already signs principals, so deriving keys from it adds no privilege.
 */
export function derivedAccessKeys(secrets: InternalSecrets) {
  const derive = (nonce: string, mode: KeyMode, internalSecret: string = secrets[0]): string => {
    let block = 0
    return makeAccessKey(mode, (size) =>
      Buffer.from(hkdfSync('sha256', internalSecret, nonce, `platter access key ${block++}`, size)),
    )
  }
  return {
    issue(mode: KeyMode): NewKey {
      const nonce = randomBytes(32).toString('base64url')
      const accessKey = derive(nonce, mode)
      const stored = { id: newApiKey(), hash: hashAccessKey(accessKey), prefix: accessKeyPrefix(accessKey) }
      return { nonce, stored }
    },
    /**
     * Returns the response with its access key. Throws Problem idempotency-mismatch if the INTERNAL_SECRET of the key is no longer
     * configured.
     */
    reveal: (body: string): string => {
      const response = JSON.parse(body) as Issued
      const accessKey = secrets
        .map((secret) => derive(response.accessKey, modeOf(response.prefix), secret))
        .find((key) => accessKeyPrefix(key) === response.prefix)
      if (accessKey === undefined)
        throw new Problem(
          'idempotency-mismatch',
          'The access key that was issued with this Idempotency-Key can no longer be shown. Issue another one.',
        )
      return JSON.stringify({ ...response, accessKey })
    },
  }
}

export type DerivedAccessKeys = ReturnType<typeof derivedAccessKeys>
