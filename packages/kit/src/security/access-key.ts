import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const SHAPE = /^platter_(?:live|test)_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/

/** Six base62 digits: 62^6 is more than 2^32, so every CRC-32 fits. */
function checksum(random: string): string {
  let rest = crc32(random)
  let digits = ''
  for (let place = 0; place < 6; place++) {
    digits = (BASE62[rest % 62] ?? '') + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

/** Returns `size` random bytes. */
type Bytes = (size: number) => Uint8Array

/** Returns 30 base62 characters with 178 random bits. Bytes from 248 are discarded, so that all characters are equally likely. */
function randomText(bytes: Bytes): string {
  let text = ''
  while (text.length < 30)
    for (const byte of bytes(40)) if (byte < 248 && text.length < 30) text += BASE62[byte % 62]
  return text
}

/**
 * Returns a new access key: `platter_live_` or `platter_test_`, 30 random characters and a checksum of 6 characters. Equal `bytes`
 * produce an equal key.
 */
export function makeAccessKey(mode: 'live' | 'test', bytes: Bytes = randomBytes): string {
  const random = randomText(bytes)
  return `platter_${mode}_${random}${checksum(random)}`
}

/** Returns whether a text has the format and checksum of an access key. This saves the lookup of mistyped and guessed keys. */
export function looksLikeAccessKey(text: string): boolean {
  const [, random, check] = SHAPE.exec(text) ?? []
  return random !== undefined && checksum(random) === check
}

/** Returns the stored form of an access key: SHA-256 in hex. A key with 178 random bits needs no slow hash. */
export const hashAccessKey = (accessKey: string): string => hash('sha256', accessKey)

/** Returns the part of an access key that may be displayed: enough to distinguish two keys. */
export const accessKeyPrefix = (accessKey: string): string => accessKey.slice(0, 'platter_live_'.length + 4)
