import { globSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { z } from 'zod'
import { expect, test } from 'vitest'
import { hashAccessKey, looksLikeAccessKey } from '@platter/kit/access-key'
import { serverKinds } from '../../dev/servers/types.ts'
import { composeService, readComposeFile } from '../../dev/servers/compose-file.ts'

/* Nobody starts the containers when a service gets a new variable, so these notice what the file then lacks. */

const root = join(import.meta.dirname, '../..')
const folders = [...globSync('services/*', { cwd: root }), 'dev/processor']
const services = readComposeFile()
const ours = Object.entries(services).filter(([, { build }]) => build !== undefined)

test.each(folders)('the variables of %s are what its Config takes', async (folder) => {
  const { Config } = (await import(pathToFileURL(join(root, folder, 'src/config.ts')).href)) as {
    Config: z.ZodObject
  }
  const { environment = {} } = composeService(basename(folder))
  // The image gives these two.
  const inContainer = { HOST: '0.0.0.0', PORT: '8080', ...environment }
  expect(Config.safeParse(inContainer).error?.issues ?? []).toEqual([])
  const known = new Set(Object.keys(Config.shape))
  expect(Object.keys(inContainer).filter((name) => !known.has(name))).toEqual([])
})

test.each(ours)('%s may do no more than it needs', (_, service) => {
  expect(service).toMatchObject({
    init: true,
    read_only: true,
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true'],
    mem_limit: expect.any(String) as string,
    pids_limit: expect.any(Number) as number,
  })
})

test.each(folders)('%s is started again, and asked whether it is ready', (folder) => {
  const { restart, healthcheck } = composeService(basename(folder))
  expect(restart).toBe('unless-stopped')
  expect(JSON.stringify(healthcheck)).toContain('/health/ready')
})

test('only the gateway and the page with the traces can be reached, from this machine', () => {
  const published = Object.values(services).flatMap(({ ports = [] }) => ports)
  expect(published).toEqual(['127.0.0.1:8080:8080', '127.0.0.1:16686:16686'])
})

test('the default operator key is one, and accounts are given its hash', () => {
  const key = composeService('seed').environment?.['OPERATOR_KEY'] ?? ''
  expect(looksLikeAccessKey(key)).toBe(true)
  expect(composeService('accounts').environment?.['OPERATOR_KEY_HASH']).toBe(hashAccessKey(key))
})

test.each(serverKinds)('%s has an image of a named major version', (kind) => {
  expect(composeService(kind).image).toMatch(/^[a-z]+:\d/)
})

test('a variable takes the place of its default', () => {
  const { environment } = composeService('postgres', { POSTGRES_PASSWORD: 'other' })
  expect(environment?.['POSTGRES_PASSWORD']).toBe('other')
})
