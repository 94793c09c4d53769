import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { Failure } from '#/exit.ts'
import { findDatabase, findDecryption, findEncryption, findFiles, findStore } from '#/target-backup.ts'

const folder = mkdtempSync(join(tmpdir(), 'platter-target-'))
afterAll(() => rmSync(folder, { recursive: true }))
const fileWith = (name: string, content: string | Buffer): string => {
  const file = join(folder, name)
  writeFileSync(file, content)
  return file
}

test('an option takes precedence over its environment variable', () => {
  expect(findDatabase({ database: 'postgres://a' }, { BACKUP_DATABASE_URL: 'postgres://b' })).toBe(
    'postgres://a',
  )
  expect(findDatabase({}, { BACKUP_DATABASE_URL: 'postgres://b' })).toBe('postgres://b')
  const store = findStore({ to: '/a', keepDays: 3 }, { BACKUP_FOLDER: '/b', BACKUP_KEEP_DAYS: '9' })
  expect(store).toEqual({ folder: '/a', keepDays: 3, bucket: null })
})

test('archives are kept for 14 days by default, and a retention of 0 days is refused', () => {
  expect(findStore({}, { BACKUP_FOLDER: '/b', BACKUP_KEEP_DAYS: '' })).toMatchObject({ keepDays: 14 })
  expect(() => findStore({}, { BACKUP_FOLDER: '/b', BACKUP_KEEP_DAYS: '0' })).toThrow(Failure)
  expect(findStore({}, {})).toBeNull()
})

test('a recipient takes precedence over a passphrase for encryption, and an identity file decrypts', () => {
  const passphraseFile = fileWith('passphrase', 'long enough passphrase\n')
  expect(findEncryption({ passphraseFile }, {})).toEqual({ passphrase: 'long enough passphrase' })
  expect(
    findEncryption({}, { BACKUP_RECIPIENT: 'age1x', BACKUP_PASSPHRASE: 'long enough passphrase' }),
  ).toEqual({
    recipient: 'age1x',
  })
  const identityFile = fileWith('identity', '# public key: age1x\nAGE-SECRET-KEY-1ABC\n')
  expect(findDecryption({ identityFile }, {})).toEqual({ identity: 'AGE-SECRET-KEY-1ABC' })
})

test('refuses a passphrase below 12 characters, a missing key, and a file without an identity', () => {
  expect(() => findEncryption({}, { BACKUP_PASSPHRASE: 'short' })).toThrow('at least 12 characters')
  expect(() => findEncryption({}, {})).toThrow('Give the key that encrypts')
  expect(() => findDecryption({}, {})).toThrow('Give the key that decrypts')
  expect(() => findDecryption({ identityFile: fileWith('none', 'age1x') }, {})).toThrow(
    'contains no age identity',
  )
})

test('a bucket needs AWS_SECRET_ACCESS_KEY, and its region defaults to us-east-1', () => {
  const environment = {
    BACKUP_FOLDER: '/b',
    BACKUP_S3_URL: 'https://bucket.example.org',
    AWS_ACCESS_KEY_ID: 'id',
  }
  expect(() => findStore({}, environment)).toThrow('AWS_SECRET_ACCESS_KEY')
  expect(findStore({}, { ...environment, AWS_SECRET_ACCESS_KEY: 'secret' })?.bucket).toMatchObject({
    region: 'us-east-1',
  })
})

test('listed files are included byte for byte, and two of the same name are refused', () => {
  // A keystore, for example, is not text.
  const content = Buffer.from([0x41, 0x0a, 0x0a, 0x00, 0xff, 0x80])
  const file = fileWith('keystore.p12', content)
  expect(findFiles({ database: 'x' }, { BACKUP_FILES: file })).toEqual([{ name: 'keystore.p12', content }])
  expect(findFiles({ database: 'x' }, {})).toEqual([])
  expect(() => findFiles({ file: [file, file] }, {})).toThrow('same name')
})
