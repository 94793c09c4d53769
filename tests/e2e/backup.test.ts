import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { platter } from './platter.ts'
import { ownStack, setUpOwnStack } from './stack.ts'

const folder = mkdtempSync(join(tmpdir(), 'platter-backup-'))
const archives = join(folder, 'archives')
const identity = join(folder, 'identity')
let recipient: string
afterAll(() => rmSync(folder, { recursive: true }))

const database = () => ['--database', ownStack().urls.postgres]

/** The identity has no passphrase, because the key derivation would make each command a second longer. */
setUpOwnStack(async () => {
  const made = await platter(['backup-identity'])
  writeFileSync(identity, made.stdout)
  recipient = /age1\S+/.exec(made.stdout)?.[0] ?? ''
})

test('a backup of a running platform has tables and files, readable only with its identity', async () => {
  const env = join(folder, '.env')
  writeFileSync(env, 'PASSWORD_PEPPER=pepper\n')
  const made = await platter([
    'backup',
    '--to',
    archives,
    '--recipient',
    recipient,
    '--file',
    env,
    ...database(),
  ])
  expect([made.code, made.stderr]).toEqual([0, ''])
  const [name = ''] = readdirSync(archives)
  const archive = join(archives, name)
  const files = join(folder, 'files')
  const options = ['--identity-file', identity, '--check']
  const checked = await platter(['restore', archive, ...options, '--files-to', files, '--json'])
  const { tables } = JSON.parse(checked.stdout) as { tables: { table: string; rows: number }[] }
  const rowsOf = new Map(tables.map(({ table, rows }) => [table, rows]))
  for (const table of ['accounts.access_keys', 'catalog.restaurants', 'orders.restaurant_links'])
    expect([table, (rowsOf.get(table) ?? 0) > 0]).toEqual([table, true])
  expect(rowsOf.has('payments.authorizations')).toBe(true)
  expect(readFileSync(join(files, '.env'), 'utf8')).toBe('PASSWORD_PEPPER=pepper\n')

  const again = await platter(['restore', archive, ...options, '--files-to', files])
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('exists')])
  const other = join(folder, 'other')
  writeFileSync(other, (await platter(['backup-identity'])).stdout)
  const refused = await platter(['restore', archive, '--identity-file', other, '--check'])
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('has another key')])
})

/** The port `discard`, at which no server listens. */
const unavailable = ['--database', 'postgres://postgres@127.0.0.1:9/x']

test.each([
  ['backup without PostgreSQL', 'ECONNREFUSED', ['backup', ...unavailable]],
  ['recovered without PostgreSQL', 'ECONNREFUSED', ['recovered', ...unavailable]],
  ['backup for an invalid recipient', 'age1', ['backup', '--recipient', 'age1invalid', ...unavailable]],
  ['restore of a missing archive', 'no such file', ['restore', '/nonexistent.age', '--check']],
])('%s exits with 1 and prints the reason', async (_, reason, args) => {
  const { code, stderr } = await platter(args, {
    BACKUP_FOLDER: join(folder, 'unused'),
    BACKUP_PASSPHRASE: 'of this test only',
  })
  expect([code, stderr]).toEqual([1, expect.stringContaining(reason)])
})

test('a restore into the database of running services is refused, also with --force', async () => {
  const [name = ''] = readdirSync(archives)
  const options = ['--identity-file', identity, '--force', ...database()]
  const { code, stderr } = await platter(['restore', join(archives, name), ...options])
  expect([code, stderr]).toEqual([1, expect.stringContaining('Services are connected')])
})
