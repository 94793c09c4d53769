import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { LOOKUPS_AT_ONCE } from '#/http/shared-lookup.ts'

const START = join(import.meta.dirname, '../../start.sh')
/** Raises the limit of core dumps to the hard limit of the machine. */
const CORES = 'ulimit -c "$(ulimit -Hc)"; exec "$@"'
const isLinux = process.platform === 'linux'

let folder: string
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'platter-start-'))))
afterEach(() => rmSync(folder, { recursive: true }))

/** Runs a script with start.sh. Resolves at its first output. */
async function runScript(script: string) {
  const child = spawn('/bin/sh', ['-c', CORES, 'sh', START, process.execPath, '-e', script], { cwd: folder })
  child.stderr.resume()
  const [output] = (await once(child.stdout, 'data')) as [Buffer]
  return { child, pid: child.pid!, output: output.toString() }
}
const FOREVER = 'console.log("here"); setInterval(() => {}, 1000)'

test.runIf(isLinux)('an aborted process leaves neither a core dump nor a report', async () => {
  const { child, pid } = await runScript(FOREVER)
  expect(readFileSync(`/proc/${pid}/limits`, 'utf8')).toMatch(/^Max core file size +0 +0 /m)
  expect(Number.parseInt(readFileSync(`/proc/${pid}/coredump_filter`, 'utf8'), 16)).toBe(0)
  child.kill('SIGABRT')
  expect(await once(child, 'exit')).toEqual([null, 'SIGABRT'])
  expect(readdirSync(folder)).toEqual([])
})

const leavesCores = () =>
  readFileSync('/proc/sys/kernel/core_pattern', 'utf8').trim() === 'core' &&
  /^Max core file size .* (unlimited) +bytes/m.test(readFileSync('/proc/self/limits', 'utf8'))

test.runIf(isLinux && leavesCores())('an aborted process without start.sh leaves a core dump', async () => {
  const child = spawn('/bin/sh', ['-c', CORES, 'sh', '/bin/sh', '-c', 'kill -ABRT $$'], { cwd: folder })
  await once(child, 'exit')
  expect(readdirSync(folder)).toEqual([expect.stringMatching(/^core/)])
})

test('SIGUSR1 opens no debugger', async () => {
  const { child, output } = await runScript(`
    process.kill(process.pid, 'SIGUSR1')
    setTimeout(() => console.log(require('node:inspector').url() ?? 'none'), 500)`)
  await once(child, 'close')
  expect(output).toBe('none\n')
})

test('objects have no __proto__ accessor', async () => {
  const { child, output } = await runScript('console.log("__proto__" in {})')
  await once(child, 'close')
  expect(output).toBe('false\n')
})

test('a thread can resolve PostgreSQL, RabbitMQ and services while no host name of third parties resolves', async () => {
  const { child, output } = await runScript('console.log(process.env.UV_THREADPOOL_SIZE)')
  await once(child, 'close')
  // Half of the threads resolve host names (uv__slow_work_threshold in libuv's threadpool.c).
  expect(Number(output) / 2 - LOOKUPS_AT_ONCE).toBe(1)
})
