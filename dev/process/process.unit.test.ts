import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { plainReporter } from '../progress.ts'
import { removeRunDirectory } from '../stack/run-directory.ts'
import { claimDirectory } from './claim.ts'
import { createProcessHost, findProgram, type ProcessHost, type ProcessSpec } from './host.ts'
import { identify, isAlive, type Identity } from './identity.ts'
import { freePort } from './ports.ts'
import { endLeftovers, readRecord } from './record.ts'
import { Supervised } from './supervise.ts'
import { until } from './wait.ts'

let directory: string
let host: ProcessHost

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'platter-process-'))
  host = createProcessHost(directory)
})

afterEach(async () => {
  vi.unstubAllEnvs()
  host.close()
  await host.stopAll(0)
  rmSync(directory, { recursive: true })
})

const forever = 'setInterval(() => {}, 1000); console.log("here")'

function spec(script: string): ProcessSpec {
  return {
    name: 'child',
    command: process.execPath,
    args: ['-e', script],
    env: process.env,
    cwd: directory,
    log: join(host.logs, 'child.log'),
  }
}

const log = () => readFileSync(join(host.logs, 'child.log'), 'utf8')

const eventually = (check: () => boolean, label: string) => until(check, { what: label, withinMs: 60_000 })

function identityOf(pid: number | null): Identity {
  const identity = pid === null ? null : identify(pid)
  if (identity === null) throw new Error('The process is not running')
  return identity
}

test('a child that dies is restarted, and one line reports it', async () => {
  const lines: string[] = []
  const reporter = { print: (line: string) => void lines.push(line) }
  const child = new Supervised({ host, reporter }, () => spec(forever))
  const first = identityOf(child.pids()[0] ?? null)
  process.kill(first.pid, 'SIGKILL')
  await eventually(() => child.pids().some((pid) => pid !== first.pid), 'the restarted child')
  expect(lines).toEqual([`child (process ${first.pid}) was ended by SIGKILL; restarting it in 200 ms`])
  await child.stop()
  expect(child.pids()).toEqual([])
})

test('the delay between restarts never exceeds the given limit', async () => {
  const lines: string[] = []
  const reporter = { print: (line: string) => void lines.push(line) }
  const child = new Supervised({ host, reporter, longestRestartDelayMs: 10 }, () => spec('process.exit(3)'))
  await eventually(() => lines.length > 2, 'the third restart')
  for (const line of lines) expect(line).toMatch(/restarting it in 10 ms$/)
  await child.stop()
})

test('ready() rejects with the last output of a child that has died three times', async () => {
  const reporter = { print: () => undefined }
  const child = new Supervised({ host, reporter }, () =>
    spec('console.error("no such luck"); process.exit(3)'),
  )
  const ready = child.ready(() => Promise.resolve(false), { withinMs: 60_000, signal: undefined })
  await expect(ready).rejects.toThrow(/died 3 times[\s\S]*no such luck/)
})

test('a child that ignores its stop signal is killed after the grace period', async () => {
  const child = host.spawn(spec(`process.on('SIGTERM', () => {}); ${forever}`))
  await eventually(() => child.output().includes('here'), 'its first output')
  await child.stop(50)
  expect(await child.ended).toEqual({ clean: false, how: 'was ended by SIGKILL' })
})

test('endLeftovers ends the recorded children; a process with another start time is not alive', async () => {
  const left = host.spawn(spec(forever))
  expect(readRecord(directory)?.children.map(({ pid }) => pid)).toEqual([left.pid])
  expect(await endLeftovers(directory)).toEqual(['child'])
  expect((await left.ended).how).toBe('was ended by SIGKILL')
  expect(isAlive({ pid: process.pid, started: 'another time' })).toBe(false)
})

test('an empty record, as a power failure leaves it, prevents neither a start nor a reset', async () => {
  writeFileSync(join(directory, 'pids.json'), '')
  expect(await endLeftovers(directory)).toEqual([])
  await removeRunDirectory(
    directory,
    plainReporter(() => undefined),
  )
  expect(existsSync(directory)).toBe(false)
  mkdirSync(directory)
})

test.runIf(process.platform === 'linux')('a directory can be claimed only once', async () => {
  const claim = await claimDirectory(directory)
  expect(claim).not.toBeNull()
  expect(await claimDirectory(directory)).toBeNull()
  claim?.release()
})

test.runIf(process.platform === 'linux')(
  'a port that is handed out is free for no other process',
  async () => {
    const port = await freePort()
    const script = `import { freePortFrom } from '${join(import.meta.dirname, 'ports.ts')}'
    console.log(await freePortFrom(${port}))`
    const other = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
    expect(Number(other.stdout)).toBeGreaterThan(port)
  },
)

test('findProgram skips a file on PATH that cannot be read', () => {
  // A link to itself fails with ELOOP, also for root.
  symlinkSync('sh', join(directory, 'sh'))
  vi.stubEnv('PATH', `${directory}:/bin`)
  expect(findProgram('sh')).toBe('/bin/sh')
})

test('a child starts beside a setpriv without --pdeathsig, such as that of BusyBox', async () => {
  writeFileSync(join(directory, 'setpriv'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
  vi.stubEnv('PATH', `${directory}:${process.env['PATH']}`)
  // The search runs once per process.
  vi.resetModules()
  const fresh = await import('./host.ts')
  const child = fresh.createProcessHost(directory).spawn(spec('console.log("here")'))
  expect(await child.ended).toEqual({ clean: true, how: 'ended with exit code 0' })
})

test.runIf(findProgram('setpriv'))('a child does not outlive a launcher that is killed', async () => {
  const script = `
    import { createProcessHost } from ${JSON.stringify(join(import.meta.dirname, 'host.ts'))}
    const host = createProcessHost(${JSON.stringify(join(directory, 'launcher'))})
    host.spawn({ ...${JSON.stringify(spec(forever))}, env: process.env })
    setInterval(() => {}, 1000)`
  const launcher = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' })
  await eventually(() => (readRecord(join(directory, 'launcher'))?.children.length ?? 0) === 1, 'the child')
  await eventually(() => log().includes('here'), 'its first output')
  const child = readRecord(join(directory, 'launcher'))?.children[0]
  if (child === undefined) throw new Error('No child')
  expect(isAlive(child)).toBe(true)
  launcher.kill('SIGKILL')
  await eventually(() => !isAlive(child), 'the end of the child')
})
