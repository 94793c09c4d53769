import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createProcessHost, findProgram, type ProcessHost } from '../process/host.ts'
import { plainReporter } from '../progress.ts'
import { decideServers, keepChoice, loadKeptChoice } from './choice.ts'
import { findServers } from './find.ts'
import { findRedis } from './redis.ts'
import type { Server } from './types.ts'

let directory: string
let host: ProcessHost
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'platter-choice-'))
  host = createProcessHost(directory)
})
afterEach(async () => {
  host.close()
  await host.stopAll(5_000)
  rmSync(directory, { recursive: true })
})

const server = (origin: Server['origin']): Server => {
  return { kind: 'redis', url: '', origin, data: null, pids: () => [], stop: () => Promise.resolve() }
}

const engine = (answers: boolean) => () => Promise.resolve(answers)

test.each(['native', 'docker', 'auto'] as const)(
  'at the first start %s is chosen as it was asked for',
  async (asked) => {
    expect(await decideServers(asked, null, engine(true))).toEqual({ choice: asked, notice: null })
  },
)

test('servers that run as processes are started again when an engine has appeared, with one sentence on how to change', async () => {
  const { choice, notice } = await decideServers('auto', 'native', engine(true))
  expect(choice).toBe('native')
  expect(notice).toMatch(/^Docker answers now, .*npm start -- --servers docker.*npm run reset/)
})

test.each([
  ['native', false],
  ['docker', true],
] as const)('%s is chosen again without a word when it would be chosen today', async (kept, answers) => {
  expect(await decideServers('auto', kept, engine(answers))).toEqual({ choice: kept, notice: null })
})

test('refuses to begin without the data that are in Docker when no engine answers, and names the ways on', async () => {
  await expect(decideServers('auto', 'docker', engine(false))).rejects.toThrow(
    /start it, or begin without .*--servers native/,
  )
})

test.each([
  ['native', 'docker'],
  ['docker', 'native'],
] as const)('--servers %s wins over %s, and one sentence says how to go back', async (asked, kept) => {
  const { choice, notice } = await decideServers(asked, kept, engine(true))
  expect({ choice, notice }).toEqual({
    choice: asked,
    notice: expect.stringContaining(`--servers ${kept}`) as string,
  })
})

test('the choice is kept by what was started, not by servers that URLs name', () => {
  keepChoice(directory, [server('given')])
  expect(loadKeptChoice(directory)).toBeNull()
  keepChoice(directory, [server('given'), server('docker')])
  expect(loadKeptChoice(directory)).toBe('docker')
})

test.each([
  ['processes', ['postgres'], 'native'],
  ['containers', ['docker'], 'docker'],
  ['both', ['postgres', 'docker'], null],
  ['neither', [], null],
] as const)('a run directory of an older version with data of %s', (_, folders, kept) => {
  for (const folder of folders) mkdirSync(join(directory, folder))
  if ((folders as readonly string[]).includes('docker'))
    writeFileSync(join(directory, 'docker/kept.json'), '{}')
  expect(loadKeptChoice(directory)).toBe(kept)
})

test.skipIf(findRedis() === null)(
  'a server that ran as a process does so again although an engine answers now',
  async () => {
    const lines: string[] = []
    const context = { directory, host, reporter: plainReporter((line) => lines.push(line)) }
    const start = async () => {
      const { redis } = await findServers(context, ['redis'])
      await redis.stop()
      return redis.origin
    }
    vi.stubEnv('REDIS_URL', '')
    vi.stubEnv('PLATTER_SERVERS', 'native')
    expect(await start()).toBe('native')
    const docker = join(directory, 'bin')
    mkdirSync(docker)
    writeFileSync(join(docker, 'docker'), '#!/bin/sh\nexit 0\n', { mode: 0o755 })
    vi.stubEnv('PATH', `${docker}:${process.env['PATH'] ?? ''}`)
    expect(findProgram('docker')).toBe(join(docker, 'docker'))
    vi.stubEnv('PLATTER_SERVERS', 'auto')
    expect(await start()).toBe('native')
    expect(lines.filter((line) => line.startsWith('Docker answers now'))).toHaveLength(1)
  },
)
