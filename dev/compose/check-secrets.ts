/**
 * The one-off job `secrets` of docker-compose.yml: rejects an `.env` that is empty or lacks a secret. Otherwise Compose would use
 * its public defaults.
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

/** Compose treats an empty file as a missing one, so its variables do not show the difference. */
function isEmpty(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false })?.size === 0
  } catch (error) {
    // Only the owner may enter the folder, and this container runs as another user.
    if (errorCode(error) !== 'EACCES') throw error
    console.error(
      'Only its owner may enter the folder of docker-compose.yml, so an empty .env is not detected.',
    )
    return false
  }
}
