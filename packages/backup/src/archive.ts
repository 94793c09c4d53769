import { Decrypter, Encrypter, generateIdentity, identityToRecipient } from 'age-encryption'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { createGunzip, createGzip } from 'node:zlib'
import { draftOf } from '#/retention.ts'
import { readTar, TAR_END, tarBytes, type TarEntry } from '#/tar.ts'

/**
 * An archive is a tar file, compressed with gzip and encrypted in the format of age (age-encryption.org/v1). The format
 * authenticates each chunk of 64 KiB and the end of the file. `age -d FILE | tar -xz` reads it without Platter.
 */

type Passphrase = {
  passphrase: string
  /** The cost of each guess, base-2 logarithm; default 18, which takes about a second. */
  workFactor?: number
}

/** Encrypts: a passphrase, or the recipient (age1…) of a key pair. */
export type EncryptionKey = Passphrase | { recipient: string }

/** Decrypts: a passphrase, or the identity (AGE-SECRET-KEY-1…) of a key pair. */
export type DecryptionKey = Passphrase | { identity: string }

/** Creates a key pair. The server that writes backups needs only the recipient. */
export async function createIdentity(): Promise<{ identity: string; recipient: string }> {
  const identity = await generateIdentity()
  return { identity, recipient: await identityToRecipient(identity) }
}

/** The archive cannot be read: the key is wrong, or the file is damaged or truncated. */
export class UnreadableArchive extends Error {}

/** Compresses 100 MB/s on one core. A higher level halves the rate and saves 5 % of the size. */
const GZIP_LEVEL = 4

/**
 * Writes an archive under a temporary name, flushes it to disk, reads it back, and then renames it. So a file with the final name
 * is complete. Two backups may start in the same second: the later one replaces the archive of the other. Memory use is constant.
 */
export async function writeArchive(
  file: string,
  key: EncryptionKey,
  entries: AsyncIterable<TarEntry>,
): Promise<{ bytes: number; sha256: string }> {
  const draft = draftOf(file)
  try {
    const written = await writeDraft(draft, key, entries)
    const read = await digestOf(draft)
    if (read.sha256 !== written.sha256)
      throw new Error(`${draft} was not written as intended: check the disk`)
    if ('passphrase' in key) for await (const _ of readArchive(draft, key));
    await rename(draft, file)
    await syncFolder(dirname(file))
    return read
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

async function writeDraft(draft: string, key: EncryptionKey, entries: AsyncIterable<TarEntry>) {
  const encrypter = new Encrypter()
  if ('passphrase' in key) {
    encrypter.setPassphrase(key.passphrase)
    encrypter.setScryptWorkFactor(key.workFactor ?? 18)
  } else addRecipient(encrypter, key.recipient)
  const zipped = createGzip({ level: GZIP_LEVEL })
  // An error of any stage destroys the last stage, which the loop below reads.
  pipeline(Readable.from(tarStream(entries), { objectMode: false }), zipped, () => undefined)
  const encrypted = await encrypter.encrypt(webStream(zipped))
  const hash = createHash('sha256')
  const handle = await open(draft, 'wx', 0o600)
  try {
    for await (const chunk of encrypted as unknown as AsyncIterable<Uint8Array>) {
      hash.update(chunk)
      await handle.writeFile(chunk)
    }
    await handle.sync()
  } finally {
    await handle.close()
  }
  return { sha256: hash.digest('hex') }
}

function addRecipient(encrypter: Encrypter, recipient: string): void {
  try {
    encrypter.addRecipient(recipient)
  } catch (cause) {
    // Without the text, which may be an identity that was given by mistake.
    throw new Error('The recipient does not begin with age1, or is mistyped.', { cause })
  }
}

async function* tarStream(entries: AsyncIterable<TarEntry>): AsyncGenerator<Uint8Array> {
  for await (const entry of entries) yield await tarBytes(entry)
  yield TAR_END
}

/**
 * Reads the entries of an archive. Throws UnreadableArchive, possibly after some entries, so callers read the whole archive once
 * before they use an entry.
 */
export async function* readArchive(file: string, key: DecryptionKey): AsyncGenerator<TarEntry> {
  try {
    const decrypter = new Decrypter()
    if ('passphrase' in key) decrypter.addPassphrase(key.passphrase)
    else decrypter.addIdentity(key.identity)
    const plain = await decrypter.decrypt(webStream(createReadStream(file)))
    const unzipped = pipeline(Readable.fromWeb(plain as ReadableStream), createGunzip(), () => undefined)
    yield* readTar(unzipped)
  } catch (error) {
    // The file does not exist, or its rights forbid to read it.
    if (error instanceof Error && 'syscall' in error) throw error
    // Without the message of age, which quotes the file or the identity: if the two are exchanged, the file is the passphrase.
    throw new UnreadableArchive(`${file} is no archive, is damaged, or has another key.`, { cause: error })
  }
}

// The type declarations of web streams in Node and in the DOM library differ in details that do not matter here.
const webStream = (readable: Readable) =>
  Readable.toWeb(readable) as unknown as globalThis.ReadableStream<Uint8Array>

/** The size and SHA-256 of a file. */
async function digestOf(file: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    hash.update(chunk)
    bytes += chunk.length
  }
  return { bytes, sha256: hash.digest('hex') }
}

/** Flushes the folder. Without it, a power failure could lose the new file name. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
