import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { BackupStore, Bucket, DecryptionKey, EncryptionKey } from '@platter/backup'
import { EXIT, Failure } from '#/exit.ts'
import { readBytes, readText } from '#/read-text.ts'
import { readStack, RUN } from '#/target.ts'

/** The common options of `backup` and `restore`. */
export type DatabaseOptions = { database?: string; passphraseFile?: string; json?: boolean }
export type BackupOptions = DatabaseOptions & {
  to?: string
  recipient?: string
  file?: string[]
  keepDays?: number
  daily?: number
}

/** `npm start` stores its secrets in this file. */
const DEVELOPMENT_SECRETS = join(RUN, 'secrets.json')

/** Returns --database, else BACKUP_DATABASE_URL, else the database of `npm start`. */
export function findDatabase({ database }: DatabaseOptions, environment = process.env): string {
  const given = database ?? environment['BACKUP_DATABASE_URL'] ?? readStack()?.urls.postgres
  // The driver takes any other text as the name of a database of a server called "base".
  if (given !== undefined && !/^postgres(ql)?:\/\//.test(given))
    throw new Failure(EXIT.usage, 'The database must be a URL that begins with postgres://.')
  if (given !== undefined) return given
  throw new Failure(
    EXIT.usage,
    'Give the database: --database URL or BACKUP_DATABASE_URL, as a superuser of PostgreSQL.',
  )
}

/** Returns the passphrase of --passphrase-file or BACKUP_PASSPHRASE; undefined without one. */
function findPassphrase(
  { passphraseFile }: DatabaseOptions,
  environment: NodeJS.ProcessEnv,
): string | undefined {
  const passphrase =
    passphraseFile === undefined ? environment['BACKUP_PASSPHRASE'] : readText(passphraseFile).trim()
  if (passphrase !== undefined && passphrase.length < 12)
    throw new Failure(EXIT.usage, 'The passphrase of a backup needs at least 12 characters.')
  return passphrase
}

/** Returns --recipient or BACKUP_RECIPIENT, else the passphrase. */
export function findEncryption(options: BackupOptions, environment = process.env): EncryptionKey {
  const recipient = options.recipient ?? environment['BACKUP_RECIPIENT']
  if (recipient) return { recipient }
  const passphrase = findPassphrase(options, environment)
  if (passphrase === undefined)
    throw new Failure(
      EXIT.usage,
      'Give the key that encrypts the archive: --passphrase-file FILE, --recipient age1…, BACKUP_PASSPHRASE or BACKUP_RECIPIENT.',
    )
  return { passphrase }
}

/** Returns --identity-file, else the passphrase. */
export function findDecryption(
  options: DatabaseOptions & { identityFile?: string },
  environment = process.env,
): DecryptionKey {
  const lines = options.identityFile === undefined ? [] : readText(options.identityFile).trim().split('\n')
  const identity = lines.find((line) => line.startsWith('AGE-SECRET-KEY-'))
  if (identity !== undefined) return { identity: identity.trim() }
  if (options.identityFile !== undefined)
    throw new Failure(EXIT.usage, `${options.identityFile} contains no age identity (AGE-SECRET-KEY-…).`)
  const passphrase = findPassphrase(options, environment)
  if (passphrase === undefined)
    throw new Failure(
      EXIT.usage,
      'Give the key that decrypts the archive: --passphrase-file FILE, --identity-file FILE or BACKUP_PASSPHRASE.',
    )
  return { passphrase }
}

/** Returns --to or BACKUP_FOLDER, and the bucket of BACKUP_S3_URL. Null without a folder. */
export function findStore(
  options: Pick<BackupOptions, 'to' | 'keepDays'>,
  environment = process.env,
): BackupStore | null {
  const folder = options.to ?? environment['BACKUP_FOLDER']
  if (folder === undefined || folder === '') return null
  const keepDays = options.keepDays ?? Number(environment['BACKUP_KEEP_DAYS'] || 14)
  if (!Number.isInteger(keepDays) || keepDays < 1)
    throw new Failure(EXIT.usage, 'BACKUP_KEEP_DAYS must be a whole number of days.')
  return { folder, bucket: findBucket(environment), keepDays }
}

function findBucket(environment: NodeJS.ProcessEnv): Bucket | null {
  const url = environment['BACKUP_S3_URL']
  if (!url) return null
  const accessKeyId = environment['AWS_ACCESS_KEY_ID']
  const secretAccessKey = environment['AWS_SECRET_ACCESS_KEY']
  if (!URL.canParse(url) || !accessKeyId || !secretAccessKey)
    throw new Failure(EXIT.usage, 'BACKUP_S3_URL needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.')
  return { url, region: environment['AWS_REGION'] || 'us-east-1', accessKeyId, secretAccessKey }
}

/** Returns --file, else BACKUP_FILES (separated by commas), else the secrets of `npm start` if its database is backed up. */
export function findFiles(
  { file, database }: BackupOptions,
  environment = process.env,
): { name: string; content: Buffer }[] {
  const isDevelopment = database === undefined && environment['BACKUP_DATABASE_URL'] === undefined
  const listed = environment['BACKUP_FILES']?.split(',').filter((path) => path !== '')
  const paths =
    file ?? listed ?? (isDevelopment && existsSync(DEVELOPMENT_SECRETS) ? [DEVELOPMENT_SECRETS] : [])
  const names = paths.map((path) => basename(path))
  if (new Set(names).size < names.length)
    throw new Failure(EXIT.usage, 'Two files of --file have the same name.')
  return paths.map((path, at) => ({ name: names[at] ?? '', content: readBytes(path) }))
}
