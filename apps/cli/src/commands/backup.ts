import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Restored, Source, BackupStore, EncryptionKey } from '@platter/backup'
import { InvalidArgumentError, type Command } from 'commander'
import {
  findDatabase,
  findDecryption,
  findEncryption,
  findFiles,
  findStore,
  type BackupOptions,
  type DatabaseOptions,
} from '#/target-backup.ts'
import { EXIT, Failure } from '#/exit.ts'
import { print, printError, printJson, printNote, style, table, when } from '#/output.ts'
import { whole } from '#/parsers.ts'

// Loaded on demand, because the other commands do not use PostgreSQL.
const library = () => import('@platter/backup')

/** Reports an error without its stack. The database, the disk, the key, the archive or the bucket causes it. */
async function reported(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    throw error instanceof Failure ? error : new Failure(EXIT.refused, (error as Error).message)
  }
}

export function backup(program: Command): void {
  program
    .command('backup')
    .description('write an encrypted archive of the database, the roles and the secrets')
    .option('--to <folder>', 'folder of the archives (or BACKUP_FOLDER)')
    .option('--database <url>', 'superuser of PostgreSQL (or BACKUP_DATABASE_URL)')
    .option('--passphrase-file <file>', 'passphrase that encrypts the archive (or BACKUP_PASSPHRASE)')
    .option('--recipient <age1…>', 'encrypts for the owner of an age identity (or BACKUP_RECIPIENT)')
    .option('--file <file...>', 'files to include: .env (or BACKUP_FILES)')
    .option('--keep-days <days>', 'delete older archives (or BACKUP_KEEP_DAYS; 14)', whole(1, 9_999))
    .option(
      '--daily <time>',
      'run until stopped, and back up each day at this time (03:15, UTC)',
      minuteOfDay,
    )
    .option('--json', 'only the result, as JSON, on standard output')
    .addHelpText('after', BACKUP_HELP)
    .action(async (options: BackupOptions) => {
      const store = findStore(options)
      if (!store)
        throw new Failure(EXIT.usage, 'Give the folder of the archives: --to FOLDER or BACKUP_FOLDER.')
      const key = findEncryption(options)
      const source = () => ({ databaseUrl: findDatabase(options), files: findFiles(options) })
      if (options.daily === undefined) return reported(() => runOnce(store, source(), key, options))
      await runDaily(options.daily, () => runOnce(store, source(), key, options))
    })
}

const BACKUP_HELP = `
An archive has the age format: "age -d FILE | tar -xz" reads it without Platter (docs/backups.md, "Archives").
With BACKUP_S3_URL, AWS_REGION, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, each archive is also copied to a bucket.

Examples:
  $ platter backup --to /var/backups/platter --passphrase-file backup.key --file .env
  $ platter backup --daily 03:15`

function minuteOfDay(text: string): number {
  const [, hour, minute] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? []
  if (minute === undefined) throw new InvalidArgumentError('it must be a time like 03:15.')
  return Number(hour) * 60 + Number(minute)
}

async function runOnce(
  store: BackupStore,
  source: Source,
  key: EncryptionKey,
  { json }: { json?: boolean },
): Promise<void> {
  const { backUp } = await library()
  const written = await backUp(store, source, key, new Date())
  if (json) return printJson(written)
  const size = `${(written.bytes / 1_000_000).toFixed(1)} MB`
  print(`${written.file}: ${size}, SHA-256 ${written.sha256}${store.bucket ? ', copied to the bucket' : ''}`)
  if (source.files.length === 0) printNote('It contains no secrets (--file .env): store them elsewhere.')
  if (written.bucketNotCleaned !== null)
    printNote(`Expired archives in the bucket were not deleted: ${written.bucketNotCleaned}`)
  if (written.deleted.length > 0) print(`Deleted: ${written.deleted.join(', ')}`)
}

/** The delay before a failed daily backup is retried. */
const RETRY_MS = 15 * 60_000

/** Writes the first archive immediately, so that the operator notices a wrong setting. */
async function runDaily(minute: number, run: () => Promise<void>): Promise<never> {
  const { untilNext } = await library()
  for (;;) {
    try {
      await run()
      await wait(untilNext(new Date(), minute))
    } catch (error) {
      printError(`The backup failed. It is retried in 15 minutes: ${(error as Error).message}`)
      await wait(RETRY_MS)
    }
  }
}

export function backupIdentity(program: Command): void {
  program
    .command('backup-identity')
    .description('create an age identity: the server encrypts for its recipient, and only you can decrypt')
    .addHelpText('after', '\nExamples:\n  $ platter backup-identity > identity.txt    # on your own machine')
    .action(async () => {
      const { createIdentity } = await library()
      const { identity, recipient } = await createIdentity()
      printNote(`BACKUP_RECIPIENT=${recipient}`)
      print(`# recipient: ${recipient}`)
      print(identity)
    })
}

type RestoreOptions = DatabaseOptions & {
  identityFile?: string
  force?: boolean
  filesTo?: string
  check?: boolean
}

export function restore(program: Command): void {
  program
    .command('restore <archive>')
    .description('restore an archive into an empty database, while no service runs')
    .option('--database <url>', 'superuser of PostgreSQL (or BACKUP_DATABASE_URL)')
    .option('--passphrase-file <file>', 'passphrase that decrypts the archive (or BACKUP_PASSPHRASE)')
    .option('--identity-file <file>', 'an age identity that decrypts the archive')
    .option('--files-to <folder>', 'folder for the files of the archive (.env)')
    .option('--check', 'read the whole archive without restoring it')
    .option('--force', 'delete the existing rows of the database')
    .option('--json', 'only the result, as JSON, on standard output')
    .addHelpText('after', RESTORE_HELP)
    .action(async (archive: string, options: RestoreOptions) => {
      const { inspectArchive, restoreArchive } = await library()
      const key = findDecryption(options)
      await reported(async () => {
        const isComplete = options.check || options.filesTo !== undefined
        const contents = isComplete ? await inspectArchive(archive, key) : null
        if (contents && options.filesTo !== undefined) writeFiles(contents.files, options.filesTo)
        if (contents && options.check) return report({ ...contents, openOrders: [] }, options)
        const databaseUrl = findDatabase(options)
        report(await restoreArchive(archive, key, { databaseUrl, force: options.force === true }), options)
      })
    })
}

const RESTORE_HELP = `
A failed restore changes nothing. The steps before and after it are in docs/operations.md, "Restore".

Examples:
  $ platter restore platter-2026-11-23T031500Z.age --passphrase-file backup.key --check
  $ platter restore platter-2026-11-23T031500Z.age --passphrase-file backup.key --files-to .`

/**
 * Does not overwrite an existing file, which may contain secrets that are in use. A backup stores base names; a forged archive may
 * have a path out of the folder.
 */
function writeFiles(files: Restored['files'], folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const { name, content } of files) {
    const path = join(folder, basename(name))
    if (existsSync(path))
      throw new Failure(EXIT.refused, `${path} exists. Move it away, or choose another folder.`)
    writeFileSync(path, content, { mode: 0o600, flag: 'wx' })
    printNote(`Written: ${path}`)
  }
}

function report(restored: Restored, { json, check }: RestoreOptions): void {
  const { manifest, rows, files, openOrders } = restored
  const counts = manifest.tables.map(({ schema, name }, at) => ({
    table: `${schema}.${name}`,
    rows: rows[at] ?? 0,
  }))
  const snapshot = when(Math.floor(manifest.at))
  if (json)
    return printJson({ at: manifest.at, tables: counts, files: files.map(({ name }) => name), openOrders })
  print(style('green', check ? 'The archive is complete.' : 'Restored.'), ` Snapshot of ${snapshot}`)
  table(
    ['table', 'rows'],
    counts.filter((one) => one.rows > 0).map((one) => [one.table, one.rows]),
  )
  if (check) return
  showOpenOrders(openOrders)
  print(`Next: start the services, then "platter reconcile --since ${Math.floor(manifest.at) - 3_600}".`)
  print('It lists each charge whose order is missing in the snapshot.')
}

function showOpenOrders(openOrders: Restored['openOrders']): void {
  if (openOrders.length === 0) return
  print('These orders were open. They continue when the services start, or are cancelled and refunded:')
  table(
    ['number', 'apiKey', 'restaurant', 'paid by'],
    openOrders.map((one) => [one.number, one.orderApiKey, one.restaurantApiKey, one.card ? 'card' : 'cash']),
  )
}

export function recovered(program: Command): void {
  program
    .command('recovered')
    .description('complete a point-in-time recovery of PostgreSQL, before the services start')
    .option('--database <url>', 'superuser of PostgreSQL (or BACKUP_DATABASE_URL)')
    .option('--json', 'only the result, as JSON, on standard output')
    .addHelpText(
      'after',
      '\nExamples:\n  $ platter recovered --database postgres://postgres:…@localhost/platter',
    )
    .action(async (options: DatabaseOptions) => {
      const { completeRecovery } = await library()
      await reported(async () => {
        const openOrders = await completeRecovery(findDatabase(options))
        if (options.json) return printJson({ openOrders })
        showOpenOrders(openOrders)
        print('Start the services. Payments looks up each charge that may have changed.')
      })
    })
}
