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

/** Gives so many bytes, others each time. */
type Bytes = (size: number) => Uint8Array

/** 30 base62 characters, 178 random bits. Bytes of 248 and more are thrown away, so that no character is likelier. */
function randomText(bytes: Bytes): string {
  let text = ''
  while (text.length < 30)
    for (const byte of bytes(40)) if (byte < 248 && text.length < 30) text += BASE62[byte % 62]
  return text
}

/**
 * A new access key: `platter_live_` or `platter_test_`, 30 random characters, 6 of checksum. The same `bytes`
 * make the same key again.
 */
export function makeAccessKey(mode: 'live' | 'test', bytes: Bytes = randomBytes): string {
  const random = randomText(bytes)
  return `platter_${mode}_${random}${checksum(random)}`
}

/** Whether the text can be an access key at all: shape and checksum. Spares the look-up of what was mistyped or guessed. */
export function looksLikeAccessKey(text: string): boolean {
  const [, random, check] = SHAPE.exec(text) ?? []
  return random !== undefined && checksum(random) === check
}

/** What we keep of an access key: SHA-256, hex. 178 random bits need no slow hash. */
export const hashAccessKey = (accessKey: string): string => hash('sha256', accessKey)

/** What may be shown of an access key: enough to tell two of them apart. */
export const accessKeyPrefix = (accessKey: string): string => accessKey.slice(0, 'platter_live_'.length + 4)
