/**
 * The one-off job `secrets` of docker-compose.yml: refuses an `.env` that is empty or lacks a secret, with which
 * Compose would put in the defaults that everybody knows.
 */
import { statSync } from 'node:fs'
import { errorCode } from '../process/identity.ts'
import { variable } from './environment.ts'
import { faultOfSecrets } from './own-secrets.ts'

const fault = faultOfSecrets(process.env, isEmpty(variable('ENV_FILE')))
if (fault !== null) {
  console.error(fault)
  process.exitCode = 1
}

/** Compose takes an empty file for none, and tells no container which it was. */
function isEmpty(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false })?.size === 0
  } catch (error) {
    // A folder that only its owner may enter, who is not the user of this container.
    if (errorCode(error) !== 'EACCES') throw error
    console.error(
      'Nobody but its owner may enter the folder of docker-compose.yml: an empty .env is not noticed.',
    )
    return false
  }
}
