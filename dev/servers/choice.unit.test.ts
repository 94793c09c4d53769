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

const engine = (isAvailable: boolean) => () => Promise.resolve(isAvailable)

test.each(['native', 'docker', 'auto'] as const)(
  'at the first start the requested choice %s is used',
  async (requested) => {
    expect(await decideServers(requested, null, engine(true))).toEqual({ choice: requested, notice: null })
  },
)

test('keeps native servers after Docker became available, and names the options to change', async () => {
  const { choice, notice } = await decideServers('auto', 'native', engine(true))
  expect(choice).toBe('native')
  expect(notice).toMatch(/^Docker is available, .*npm start -- --servers docker.*npm run reset/)
})

test.each([
  ['native', false],
  ['docker', true],
] as const)('%s is used again without a notice when "auto" would choose it', async (kept, isAvailable) => {
  expect(await decideServers('auto', kept, engine(isAvailable))).toEqual({ choice: kept, notice: null })
})

test('refuses to start while Docker has the data and is unavailable, and names alternatives', async () => {
  await expect(decideServers('auto', 'docker', engine(false))).rejects.toThrow(
    /Start Docker, or start without .*--servers native/,
  )
})

test.each([
  ['native', 'docker'],
  ['docker', 'native'],
] as const)('--servers %s overrides %s, and a notice names the way back', async (requested, kept) => {
  const { choice, notice } = await decideServers(requested, kept, engine(true))
  expect({ choice, notice }).toEqual({
    choice: requested,
    notice: expect.stringContaining(`--servers ${kept}`) as string,
  })
})

test('the stored choice is the kind of the started servers, not of servers given by URL', () => {
  keepChoice(directory, [server('given')])
  expect(loadKeptChoice(directory)).toBeNull()
  keepChoice(directory, [server('given'), server('docker')])
  expect(loadKeptChoice(directory)).toBe('docker')
})

test.skipIf(findRedis() === null)(
  'a server that ran as a process runs as a process again after Docker became available',
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
    expect(lines.filter((line) => line.startsWith('Docker is available'))).toHaveLength(1)
  },
)
