import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { serviceNames } from '../../../dev/stack/services.ts'
import { check, placeCardOrder, secondsUntil, sendOrder, situation, type World } from '../world.ts'

/** Returns the settings of docs/backups.md in the form of `alter system`. */
function settings(): string[] {
  const text = readFileSync(join(import.meta.dirname, '../../../docs/backups.md'), 'utf8')
  const [, lines = ''] = /^ {3}```ini\n([^]*?)^ {3}```$/m.exec(text) ?? []
  return lines
    .trim()
    .split('\n')
    .map((line) => line.trim())
}

const NOT_ARCHIVED = `select count(*) from pg_ls_archive_statusdir() where name like '%.ready'`

/** Returns the number of charges whose orders are not in the database. */
async function strayCharges({ installation }: World): Promise<number> {
  const since = ['platter', 'reconcile', '--since', '1h', '--json']
  const { stdout } = await installation.attempt('docker', 'compose', 'run', '--rm', '-T', ...since)
  const { mismatches } = JSON.parse(stdout) as { mismatches: { rule: string }[] }
  check(
    mismatches.every(({ rule }) => rule === 'charge-without-order'),
    `other mismatches: ${mismatches.map(({ rule }) => rule).join(', ')}`,
  )
  return mismatches.length
}

situation(
  'a lost database: restored from the archive of the night, and later orders are named as lost',
  async (world) => {
    const { installation, keys } = world
    const find = (key: string) =>
      installation.call(`/publicapi/v1/order-by-key/${key}`, { key: keys.application })
    const [kept, lost] = [randomUUID(), randomUUID()]
    const strays = await strayCharges(world)
    await placeCardOrder(world, kept)
    const archive =
      (await installation.compose('exec', '-T', 'backup', 'node', 'apps/cli/src/main.ts', 'backup')).split(
        ':',
      )[0] ?? ''
    await placeCardOrder(world, lost)
    const from = performance.now()
    await installation.compose('stop', ...serviceNames, 'backup')
    await installation.compose('rm', '-sfv', 'postgres')
    await installation.run('docker', 'volume', 'rm', `${installation.project}_postgres`)
    await installation.compose('up', '-d', '--wait', 'postgres')
    await installation.platter('restore', archive)
    await installation.compose('up', '-d', '--wait')
    const tookS = (performance.now() - from) / 1000
    check((await find(kept)).status === 200, 'an order of the archive is lost')
    check((await find(lost)).status === 404, 'an order after the archive exists')
    check((await strayCharges(world)) === strays + 1, 'the charge without an order is not named')
    return `restored in ${tookS.toFixed(0)} s; the charge of the lost order is named`
  },
)

situation(
  'a recovery to a moment by WAL archiving: the orders before it are there, and the charge of a later one is named',
  async (world) => {
    const { installation, keys } = world
    const find = (key: string) =>
      installation.call(`/publicapi/v1/order-by-key/${key}`, { key: keys.application })
    const [kept, lost] = [randomUUID(), randomUUID()]
    const strays = await strayCharges(world)
    for (const line of settings()) await installation.sql(`alter system set ${line}`)
    await installation.compose('restart', 'postgres')
    await secondsUntil(async () => (await sendOrder(world, 'cash')).status === 200, {
      what: 'an order after the restart',
      withinS: 60,
    })
    const base = ['pg_basebackup', '-U', 'postgres', '-D', '/backup/base', '-X', 'none', '-c', 'fast']
    await installation.compose('exec', '-T', '-u', 'postgres', 'postgres', ...base)
    await placeCardOrder(world, kept)
    const moment = (await installation.sql('select clock_timestamp()')).trim()
    await placeCardOrder(world, lost)
    // A recovery reads only the archive, so the archive must have the last WAL.
    await installation.sql('select pg_switch_wal()')
    await secondsUntil(async () => (await installation.sql(NOT_ARCHIVED)).trim() === '0', {
      what: 'the archive of the WAL',
      withinS: 60,
    })
    const from = performance.now()
    const data = (await installation.compose('exec', '-T', 'postgres', 'printenv', 'PGDATA')).trim()
    await installation.compose('stop', ...serviceNames, 'backup', 'postgres')
    const recover = `mv ${data} ${data}.damaged && cp -a /backup/base ${data} && touch ${data}/recovery.signal &&
        printf '%s\\n' "restore_command = 'cp /backup/wal/%f %p'" "recovery_target_time = '${moment}'" "recovery_target_action = 'promote'" >> ${data}/postgresql.auto.conf &&
        chown -R --reference=${data}.damaged ${data}`
    await installation.compose(
      'run',
      '--rm',
      '-T',
      '--no-deps',
      '--entrypoint',
      'sh',
      'postgres',
      '-c',
      recover,
    )
    await installation.compose('up', '-d', '--wait', 'postgres')
    await secondsUntil(async () => (await installation.sql('select pg_is_in_recovery()')).trim() === 'f', {
      what: 'the end of the recovery',
      withinS: 60,
    })
    await installation.platter('recovered')
    await installation.compose('up', '-d', '--wait')
    const tookS = (performance.now() - from) / 1000
    check((await find(kept)).status === 200, 'an order before the moment is lost')
    check((await find(lost)).status === 404, 'an order after the moment exists')
    check((await strayCharges(world)) === strays + 1, 'the charge without an order is not named')
    return `recovered in ${tookS.toFixed(0)} s; the charge of the later order is named`
  },
)
