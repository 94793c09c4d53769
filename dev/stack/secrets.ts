import { makeAccessKey } from '@platter/kit/security/access-key'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { writeWhole } from '../process/files.ts'
import { readIfPresent } from '../process/identity.ts'
import type { SeedResult } from '../seed/seed.ts'
import { databaseServices } from './services.ts'

/** What a run directory has to remember, because rows elsewhere fit to it. */
export interface Secrets {
  readonly operatorKey: string
  /** Signs the principal that the gateway passes on; 32 random bytes, hex. */
  readonly internalSecret: string
  /** Goes into the hashes of passwords; 32 random bytes, hex. */
  readonly passwordPepper: string
  readonly rolePasswords: Readonly<Record<string, string>>
  /** The links of restaurants lead there. */
  readonly simulatorsPort: number | null
  readonly seed: SeedResult | null
}

/** The secrets of a run directory; new ones at its first start. */
export function loadSecrets(directory: string): Secrets {
  const text = readIfPresent(fileIn(directory))
  const fresh: Secrets = {
    operatorKey: makeAccessKey('live'),
    internalSecret: randomBytes(32).toString('hex'),
    passwordPepper: randomBytes(32).toString('hex'),
    rolePasswords: Object.fromEntries(
      databaseServices.map((name) => [name, randomBytes(18).toString('base64url')]),
    ),
    simulatorsPort: null,
    seed: null,
  }
  // A run directory of an older version lacks what has been added since.
  const secrets = text === null ? fresh : { ...fresh, ...(JSON.parse(text) as Partial<Secrets>) }
  saveSecrets(directory, secrets)
  return secrets
}

/** Keeps the secrets for the next start. */
export function saveSecrets(directory: string, secrets: Secrets): void {
  writeWhole(fileIn(directory), `${JSON.stringify(secrets, null, 2)}\n`)
}

const fileIn = (directory: string) => join(directory, 'secrets.json')
