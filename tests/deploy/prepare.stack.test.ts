import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { servers } from '@platter/testkit'
import { expect, test } from 'vitest'
import { databaseServices } from '../../dev/stack/services.ts'

test('prepare ends with one sentence if PostgreSQL rejects its URL, without a stack trace', () => {
  const url = new URL(servers().postgres)
  url.pathname = '/none'
  const passwords = databaseServices.map((name) => [`${name.toUpperCase()}_PASSWORD`, 'secret'] as const)
  const script = join(import.meta.dirname, '../../dev/compose/prepare.ts')
  const { status, stderr } = spawnSync(process.execPath, [script], {
    encoding: 'utf8',
    env: { DATABASE_URL: url.href, ...Object.fromEntries(passwords) },
  })
  expect(stderr).toBe('PostgreSQL cannot be used, so nothing was changed: database "none" does not exist\n')
  expect(status).toBe(1)
})
