/**
 * `npm run reset`: deletes all data of `npm start` and the tests.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { plainReporter } from './progress.ts'
import { AlreadyRunning, removeRunDirectory } from './stack/run-directory.ts'

const runDirectory = join(import.meta.dirname, '../.run')

try {
  if (existsSync(runDirectory)) await removeRunDirectory(runDirectory, plainReporter(console.log))
  console.log('All data of earlier starts were deleted.')
} catch (error) {
  if (!(error instanceof AlreadyRunning)) throw error
  console.error(error.message)
  process.exitCode = 1
}
