import { createHash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { createServer } from 'node:net'
import { errorCode } from './identity.ts'
import { readRecord, recordedLauncher } from './record.ts'

/** An exclusive right, until `release` or the end of this process. */
export type Claim = {
  release(): void
}

/**
 * Claims a run directory; null if another launcher has claimed it. On systems other than Linux the recorded launcher is checked.
 */
export async function claimDirectory(directory: string): Promise<Claim | null> {
  if (process.platform !== 'linux') {
    return recordedLauncher(readRecord(directory)) === null ? { release: () => undefined } : null
  }
  return claimName(createHash('sha256').update(realpathSync(directory)).digest('hex').slice(0, 32))
}

/**
 * Claims a name on this Linux machine; null if another process or an earlier call has claimed it. The claim is an abstract socket:
 * only one process can bind it, and it disappears with its process, so there is no stale lock.
 */
export function claimName(name: string): Promise<Claim | null> {
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
