/* A subset of the POSIX tar format (ustar): regular files with names of up to 100 characters and a size of up to 8 GiB. */

const BLOCK = 512
const MAX_NAME = 100
const MAX_SIZE = 0o77777777777

/** A file in a tar stream. */
export type TarEntry = { name: string; content: Buffer }

/** Returns the bytes of an entry, padded to whole blocks. */
export function tarBytes({ name, content }: TarEntry): Buffer {
  if (Buffer.byteLength(name) > MAX_NAME || !/^[!-~]+$/.test(name))
    throw new Error(`${name} cannot be the name of a file in an archive`)
  const size = content.length
  if (size > MAX_SIZE) throw new Error(`${name} is too large for an archive`)
  const bytes = Buffer.alloc(BLOCK + Math.ceil(size / BLOCK) * BLOCK)
  bytes.write(name, 0)
  bytes.write('0000600\0', 100)
  bytes.write('0000000\0', 108)
  bytes.write('0000000\0', 116)
  bytes.write(`${size.toString(8).padStart(11, '0')}\0`, 124)
  bytes.write('00000000000\0', 136)
  bytes.write('0', 156)
  bytes.write('ustar\u000000', 257)
  bytes.write(checksumOf(bytes), 148)
  content.copy(bytes, BLOCK)
  return bytes
}

/** The end of a tar stream: two empty blocks. */
export const TAR_END = Buffer.alloc(2 * BLOCK)

/** Reads the entries of a tar stream. Throws for a damaged or truncated stream. */
export async function* readTar(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const source = bytes[Symbol.asyncIterator]()
  let rest: Uint8Array = Buffer.alloc(0)
  async function take(length: number): Promise<Buffer> {
    const parts = [rest]
    for (let missing = length - rest.length; missing > 0; missing -= parts.at(-1)?.length ?? 0) {
      const next = await source.next()
      if (next.done === true) throw new Error('the archive is truncated')
      parts.push(next.value)
    }
    const all = Buffer.concat(parts)
    rest = all.subarray(length)
    return all.subarray(0, length)
  }
  for (;;) {
    const header = await take(BLOCK)
    if (header.every((byte) => byte === 0)) break
    if (header.toString('latin1', 148, 156) !== checksumOf(header)) throw new Error('the archive is damaged')
    const size = Number.parseInt(header.toString('latin1', 124, 135), 8)
    const name = header.toString('latin1', 0, MAX_NAME).replace(/\0.*$/, '')
    const padded = await take(Math.ceil(size / BLOCK) * BLOCK)
    yield { name, content: padded.subarray(0, size) }
  }
  // Reads to the end, so that the decrypter also authenticates the last chunk.
  while ((await source.next()).done !== true);
}

function checksumOf(header: Buffer): string {
  let sum = 8 * 0x20
  for (let at = 0; at < BLOCK; at++) if (at < 148 || at >= 156) sum += header[at] ?? 0
  return `${sum.toString(8).padStart(6, '0')}\0 `
}
