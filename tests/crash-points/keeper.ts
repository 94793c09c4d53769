/**
 * Runs one service in place of the launcher, whose restart delay grows with each death. A new process replaces a dead one at once.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const main = join(import.meta.dirname, `../../services/${process.env['CRASH_SERVICE']}/src/main.ts`)
const instrument = new URL('instrument.ts', import.meta.url).href
const state = { isStopping: false }

while (!state.isStopping) {
  const child = spawn(process.execPath, ['--import', instrument, main], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const stop = () => {
    state.isStopping = true
    child.kill('SIGTERM')
  }
  process.once('SIGTERM', stop)
  await once(child, 'exit')
  process.off('SIGTERM', stop)
}
