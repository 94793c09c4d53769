import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { createTarDecoder, packTar } from 'modern-tar'

/** A file in a tar stream. */
export type TarEntry = { name: string; content: Buffer }

/** The end of a tar stream: two empty blocks. */
export const TAR_END = Buffer.alloc(1024)

/** Returns the bytes of an entry, padded to whole blocks. */
export async function tarBytes({ name, content }: TarEntry): Promise<Uint8Array> {
  const header = { name, size: content.length, mode: 0o600, mtime: new Date(0) }
  return (await packTar([{ header, body: content }])).subarray(0, -TAR_END.length)
}

/** Reads the entries of a tar stream. Throws for a damaged or truncated stream. */
export async function* readTar(bytes: Readable): AsyncGenerator<TarEntry> {
  const decoder = createTarDecoder({ strict: true })
  const stream = Readable.toWeb(bytes) as ReadableStream<Uint8Array>
  for await (const { header, body } of stream.pipeThrough(decoder))
    yield { name: header.name, content: Buffer.from(await new Response(body).arrayBuffer()) }
}
