import { createHash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { createServer } from 'node:net'
import { errorCode } from './identity.ts'
import { readRecord, recordedLauncher } from './record.ts'

/** The right to run in a directory, until `release` or the end of this process. */
export interface Claim {
  release(): void
}

/**
 * Claims a run directory; null when another launcher has it.
 * On Linux the kernel decides: an abstract socket can be bound once and is gone with its process, however that
 * ends, so there is no stale lock and no race over one. Elsewhere the recorded launcher is looked for.
 */
export async function claimDirectory(directory: string): Promise<Claim | null> {
  if (process.platform !== 'linux') {
    return recordedLauncher(readRecord(directory)) === null ? { release: () => undefined } : null
  }
  const name = createHash('sha256').update(realpathSync(directory)).digest('hex').slice(0, 32)
  const server = createServer((socket) => socket.destroy())
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      if (errorCode(error) === 'EADDRINUSE') resolve(null)
      else reject(error)
    })
    server.listen({ path: `\0platter-${name}` }, () => resolve({ release: () => server.close() }))
    server.unref()
  })
}
