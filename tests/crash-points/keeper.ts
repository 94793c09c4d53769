/**
 * Runs one service in place of the launcher, whose restart delay grows with each death. A standby process, loaded in advance,
 * replaces a dead process at once. The next standby process then loads.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { isReady } from '../../dev/process/ready.ts'

const { CRASH_DIRECTORY = '', CRASH_SERVICE = '', PORT = '' } = process.env
const main = join(import.meta.dirname, `../../services/${CRASH_SERVICE}/src/main.ts`)
const instrument = new URL('instrument.ts', import.meta.url).href

const stopping = new AbortController()
const isStopping = () => stopping.signal.aborted

function load(): ChildProcess {
  return spawn(process.execPath, ['--import', instrument, main], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
}

const loaded = (child: ChildProcess) => new Promise((resolve) => child.once('message', resolve))

/** Starts the service in a loaded process, reports when it is ready, and loads the next process. */
async function live(child: ChildProcess): Promise<never> {
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const isOver = () => child.exitCode !== null || child.signalCode !== null
  const stop = () => child.kill('SIGTERM')
  process.once('SIGTERM', stop)
  child.send('go')
  while (!isOver() && !(await isReady(`http://127.0.0.1:${PORT}`))) await wait(20)
  writeFileSync(join(CRASH_DIRECTORY, `ready-${CRASH_SERVICE}-${PORT}`), String(child.pid))
  const next = load()
  const nextLoaded = loaded(next)
  const code = await ended
  if (isStopping()) {
    next.kill('SIGKILL')
    process.exit(code ?? 1)
  }
  process.off('SIGTERM', stop)
  await nextLoaded
  if (isStopping()) process.exit(0)
  return live(next)
}

process.on('SIGTERM', () => stopping.abort())
const first = load()
await loaded(first)
await live(first)
