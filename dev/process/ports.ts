import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'
import { claimName } from './claim.ts'
import { errorCode } from './identity.ts'

// Below the ephemeral ports (Linux from 32768, macOS from 49152): otherwise an outgoing connection could take the port of a
// process while it restarts.
const lowest = 20_000
const highest = 32_000

const handedOut = new Set<number>()

/** Returns ports on 127.0.0.1 without a listener; never the same port twice in this process, and on Linux on this machine. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = []
  for (let attempts = 0; ports.length < count && attempts < 1000; attempts++) {
    const port = randomInt(lowest, highest)
    if (handedOut.has(port)) continue
    handedOut.add(port)
    if (await isFree(port)) ports.push(port)
  }
  if (ports.length < count) throw new Error(`No ${count} free ports between ${lowest} and ${highest}`)
  return ports
}

/** Returns one free port, like `freePorts`. */
export async function freePort(): Promise<number> {
  const [port] = await freePorts(1)
  if (port === undefined) throw new Error('No free port')
  return port
}

/** Returns the port if it is free at this address, otherwise the next free port above it. */
export async function freePortFrom(port: number, address = '127.0.0.1'): Promise<number> {
  for (let candidate = port; candidate < Math.min(port + 100, 65_536); candidate++) {
    if (!handedOut.has(candidate) && (await isFree(candidate, address))) {
      handedOut.add(candidate)
      return candidate
    }
  }
  throw new Error(`Port ${port} and the next 99 are taken`)
}

/** Two launchers that start at once must not get one port before either listens: two of six stacks of a test run once did. */
async function isFree(port: number, address?: string): Promise<boolean> {
  if (!(await hasNoListener(port, address))) return false
  return process.platform !== 'linux' || (await claimName(`port-${port}`)) !== null
}

function hasNoListener(port: number, address = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (error) => {
      const code = errorCode(error)
      if (code === 'EADDRINUSE') resolve(false)
      else reject(code === 'EACCES' ? new Error(`Port ${port} is reserved for the superuser`) : error)
    })
    server.listen({ host: address, port, exclusive: true }, () => server.close(() => resolve(true)))
  })
}
