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
  const reader = new Blocks(bytes)
  for (;;) {
    const header = await reader.take(BLOCK)
    if (header.every((byte) => byte === 0)) break
    if (header.toString('latin1', 148, 156) !== checksumOf(header)) throw new Error('the archive is damaged')
    const size = Number.parseInt(header.toString('latin1', 124, 135), 8)
    const name = header.toString('latin1', 0, MAX_NAME).replace(/\0.*$/, '')
    const padded = await reader.take(Math.ceil(size / BLOCK) * BLOCK)
    yield { name, content: padded.subarray(0, size) }
  }
  // Reads to the end, so that the decrypter also authenticates the last chunk.
  await reader.drain()
}

function checksumOf(header: Buffer): string {
  let sum = 8 * 0x20
  for (let at = 0; at < BLOCK; at++) if (at < 148 || at >= 156) sum += header[at] ?? 0
  return `${sum.toString(8).padStart(6, '0')}\0 `
}

class Blocks {
  readonly #source: AsyncIterator<Uint8Array>
  #parts: Uint8Array[] = []
  #length = 0

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  async take(length: number): Promise<Buffer> {
    while (this.#length < length) {
      const next = await this.#source.next()
      if (next.done === true) throw new Error('the archive is truncated')
      this.#parts.push(next.value)
      this.#length += next.value.length
    }
    const all = Buffer.concat(this.#parts)
    const rest = all.subarray(length)
    this.#parts = [rest]
    this.#length = rest.length
    return all.subarray(0, length)
  }

  async drain(): Promise<void> {
    while ((await this.#source.next()).done !== true);
  }
}
