import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { createProcessHost } from '../../dev/process/host.ts'
import { plainReporter } from '../../dev/progress.ts'
import { withClient } from '../../dev/servers/database.ts'
import { findServers } from '../../dev/servers/find.ts'

// In the repository, because another user must reach the data folder if the test runs as root.
const directory = mkdtempSync(join(import.meta.dirname, '../../.run/find-'))
const host = createProcessHost(directory)

afterEach(async () => {
  vi.unstubAllEnvs()
  host.close()
  await host.stopAll(10_000)
  rmSync(directory, { recursive: true })
})

test('libpq settings of the developer do not apply to the PostgreSQL of the launcher', async () => {
  vi.stubEnv('DATABASE_URL', undefined)
  vi.stubEnv('PLATTER_SERVERS', 'native')
  vi.stubEnv('PGSSLMODE', 'require')
  vi.stubEnv('PGOPTIONS', '-c search_path=elsewhere')
  const reporter = plainReporter(() => undefined)
  const { postgres } = await findServers({ directory, host, reporter }, ['postgres'])
  const read = await withClient(postgres.url, (client) => client.query<object>('show search_path'))
  expect(read.rows).toEqual([{ search_path: '"$user", public' }])
})
