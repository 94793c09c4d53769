import { makeAccessKey } from '@platter/kit/security/access-key'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { writeWhole } from '../process/files.ts'
import { readIfPresent } from '../process/identity.ts'
import type { SeedResult } from '../seed/seed.ts'
import { databaseServices } from './services.ts'

/** The secrets that a run directory keeps, because rows in the database depend on them. */
export type Secrets = {
  readonly operatorKey: string
  /** Signs the principal that the gateway forwards; 32 random bytes, hex. */
  readonly internalSecret: string
  /** Part of the hashes of passwords; 32 random bytes, hex. */
  readonly passwordPepper: string
  readonly rolePasswords: Readonly<Record<string, string>>
  /** The links of restaurants contain this port. */
  readonly simulatorsPort: number | null
  readonly seed: SeedResult | null
}

/** Returns the secrets of a run directory; creates them at its first start. */
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
  // The run directory of an older version lacks newer secrets.
  const secrets = text === null ? fresh : { ...fresh, ...(JSON.parse(text) as Partial<Secrets>) }
  saveSecrets(directory, secrets)
  return secrets
}

/** Stores the secrets for the next start. */
export function saveSecrets(directory: string, secrets: Secrets): void {
  writeWhole(fileIn(directory), `${JSON.stringify(secrets, null, 2)}\n`)
}

const fileIn = (directory: string) => join(directory, 'secrets.json')
