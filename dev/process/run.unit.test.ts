import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { createProcessHost, type ProcessHost, type ProcessSpec } from './host.ts'
import { runToEnd } from './run.ts'
import { until } from './wait.ts'

let directory: string
let host: ProcessHost

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'platter-run-'))
  host = createProcessHost(directory)
})

afterEach(async () => {
  await host.stopAll(0)
  rmSync(directory, { recursive: true })
})

const shell = (script: string): ProcessSpec => ({
  name: 'the job',
  command: '/bin/sh',
  args: ['-c', script],
  env: process.env,
  cwd: directory,
  log: join(host.logs, 'job.log'),
})

test('reports the last line of the output', async () => {
  const lines: string[] = []
  const now = (line: string) => {
    lines.push(line)
    if (line === 'two') writeFileSync(join(directory, 'seen'), '')
  }
  await runToEnd(host, shell('echo one; echo two; until [ -e seen ]; do sleep 0.1; done'), { now })
  expect(lines.at(-1)).toBe('two')
})

test('the error of a failed program contains its last output', async () => {
  const job = runToEnd(host, shell('echo no such thing >&2; exit 3'), {})
  await expect(job).rejects.toThrow('the job ended with exit code 3:\nno such thing')
})

test('a program is stopped at its time limit', async () => {
  const late = new AbortController()
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(late.signal)
  onTestFinished(() => timeout.mockRestore())
  const script = 'echo waiting; touch begun; while :; do sleep 0.1; done'
  const job = runToEnd(host, shell(script), { withinMs: 2_000 })
  const begun = until(() => existsSync(join(directory, 'begun')), { what: 'the job', withinMs: 60_000 })
  await Promise.all([
    expect(job).rejects.toThrow('the job took longer than 2 s:\nwaiting'),
    begun.then(() => late.abort()),
  ])
  expect(timeout).toHaveBeenCalledExactlyOnceWith(2_000)
})

test('an abort stops the program and throws its reason', async () => {
  const over = new AbortController()
  const job = runToEnd(host, shell('exec sleep 30'), { signal: over.signal })
  over.abort(new Error('Ctrl-C'))
  await expect(job).rejects.toThrow('Ctrl-C')
})
