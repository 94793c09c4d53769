/**
 * `npm run reset`: deletes all data of `npm start` and the tests, except in servers from the environment.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { plainReporter } from './progress.ts'
import { refuseOtherUser, removeRunDirectory } from './stack/run-directory.ts'

const runDirectory = join(import.meta.dirname, '../.run')

try {
  if (process.getuid?.() !== 0) refuseOtherUser(runDirectory)
  if (existsSync(runDirectory)) await removeRunDirectory(runDirectory, plainReporter(console.log))
  console.log(
    'All data of earlier starts were deleted, except in servers that DATABASE_URL, AMQP_URL or REDIS_URL named.',
  )
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
