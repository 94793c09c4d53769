import fc from 'fast-check'
import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  createIdentity,
  readArchive,
  UnreadableArchive,
  writeArchive,
  type DecryptionKey,
} from '#/archive.ts'
import { readTar, TAR_END, tarBytes, type TarEntry } from '#/tar.ts'

const folder = mkdtempSync(join(tmpdir(), 'platter-archive-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** A pair instead of a passphrase: deriving a key from a passphrase takes a second on purpose. */
let identity: string
let recipient: string
beforeAll(async () => {
  ;({ identity, recipient } = await createIdentity())
})

async function* each<T>(list: readonly T[]): AsyncGenerator<T> {
  yield* list
}
async function readAll(file: string, key: DecryptionKey): Promise<TarEntry[]> {
  return Array.fromAsync(readArchive(file, key))
}
let count = 0
const newFile = () => join(folder, `${++count}.age`)
const entries: TarEntry[] = [
  { name: 'manifest.json', content: Buffer.from('{}') },
  { name: 'data/1', content: Buffer.alloc(300_000, 'row\n') },
]

const entry = fc.record({
  name: fc.stringMatching(/^[a-z0-9./_-]{0,99}[a-z0-9._-]$/),
  content: fc.uint8Array({ maxLength: 2_000 }).map((bytes) => Buffer.from(bytes)),
})

test('readTar returns every entry, for any division of the bytes into chunks', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(entry, { maxLength: 5 }),
      fc.integer({ min: 1, max: 3_000 }),
      async (all, size) => {
        const bytes = Buffer.concat([...(await Promise.all(all.map(tarBytes))), TAR_END])
        const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
          bytes.subarray(at * size, (at + 1) * size),
        )
        expect(await Array.fromAsync(readTar(Readable.from(pieces, { objectMode: false })))).toEqual(all)
      },
    ),
  )
})

test('an archive returns its entries, is encrypted, and leaves no temporary file', async () => {
  const file = newFile()
  const { bytes } = await writeArchive(file, { recipient }, each(entries))
  expect(await readAll(file, { identity })).toEqual(entries)
  expect(readFileSync(file).length).toBe(bytes)
  expect(readFileSync(file).includes('manifest')).toBe(false)
  expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([])
})

test('an archive opens with its passphrase, and not with another one', async () => {
  const file = newFile()
  await writeArchive(file, { passphrase: 'correct horse battery staple', workFactor: 10 }, each(entries))
  expect(await readAll(file, { passphrase: 'correct horse battery staple' })).toEqual(entries)
  await expect(readAll(file, { passphrase: 'wrong' })).rejects.toThrow(UnreadableArchive)
})

const unreadable = (file: string) =>
  new UnreadableArchive(`${file} is no archive, is damaged, or has another key.`)

test('an error prints nothing of a key, also if the files of key and archive are exchanged', async () => {
  const [archive, keyFile] = [newFile(), newFile()]
  await writeArchive(archive, { recipient }, each(entries))
  for (const secret of ['correct horse battery staple', identity]) {
    writeFileSync(keyFile, `${secret}\n`)
    await expect(readAll(keyFile, { passphrase: 'x'.repeat(12) })).rejects.toThrow(unreadable(keyFile))
  }
  const mistyped = `${identity.slice(0, -1)}${identity.endsWith('Q') ? 'P' : 'Q'}`
  await expect(readAll(archive, { identity: mistyped })).rejects.toThrow(unreadable(archive))
  await expect(writeArchive(newFile(), { recipient: identity }, each(entries))).rejects.toThrow(
    new Error('The recipient does not begin with age1, or is mistyped.'),
  )
})

test('another identity does not open an archive', async () => {
  const file = newFile()
  await writeArchive(file, { recipient }, each(entries))
  await expect(readAll(file, { identity: (await createIdentity()).identity })).rejects.toThrow(
    UnreadableArchive,
  )
})

test('an archive that is truncated anywhere is unreadable', async () => {
  const file = newFile()
  const { bytes } = await writeArchive(file, { recipient }, each(entries))
  const whole = readFileSync(file)
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: bytes - 1 }), async (length) => {
      writeFileSync(file, whole)
      truncateSync(file, length)
      await expect(readAll(file, { identity })).rejects.toThrow(UnreadableArchive)
    }),
    { numRuns: 30 },
  )
})

test('an archive with one changed byte anywhere is unreadable', async () => {
  const file = newFile()
  const { bytes } = await writeArchive(file, { recipient }, each(entries))
  const whole = readFileSync(file)
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: bytes - 1 }), async (at) => {
      const changed = Buffer.from(whole)
      changed[at] = (changed[at] ?? 0) ^ 1
      writeFileSync(file, changed)
      await expect(readAll(file, { identity })).rejects.toThrow(UnreadableArchive)
    }),
    { numRuns: 30 },
  )
})

test('two backups of the same second both complete', async () => {
  const file = newFile()
  const written = [1, 2].map(() => writeArchive(file, { recipient }, each(entries)))
  await Promise.all(written)
  expect(await readAll(file, { identity })).toEqual(entries)
  expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([])
})

test('a failed backup leaves the earlier archive of that name unchanged', async () => {
  const file = newFile()
  await writeArchive(file, { recipient }, each(entries))
  const before = readFileSync(file)
  async function* failing(): AsyncGenerator<TarEntry> {
    yield* entries
    throw new Error('the database is unavailable')
  }
  await expect(writeArchive(file, { recipient }, failing())).rejects.toThrow('the database is unavailable')
  expect(readFileSync(file)).toEqual(before)
  expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([])
})
