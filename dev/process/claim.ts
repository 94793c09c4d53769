import { createHash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { createServer } from 'node:net'
import { errorCode } from './identity.ts'
import { readRecord, recordedLauncher } from './record.ts'

/** The exclusive right to run in a directory, until `release` or the end of this process. */
export type Claim = {
  release(): void
}

/**
 * Claims a run directory; null if another launcher has claimed it. On Linux the claim is an abstract socket: only one process can
 * bind it, and it disappears with its process, so there is no stale lock. On other systems the recorded launcher is checked.
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
