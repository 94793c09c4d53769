import { existsSync, readdirSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { Applications, PlatformHealth, ReadAttention, Restaurants, type Attention } from '@platter/contracts'
import { z } from 'zod'
import { apiOf, unlessUnavailable } from '#/api.ts'
import type { Target } from '#/target.ts'
import { findStore } from '#/target-backup.ts'

export type Health = z.output<typeof PlatformHealth.response>

/** The facts that the doctor has read. A fact that it could not read is null. */
export type Facts = {
  url: string
  /** The start and the end of the examination; epoch milliseconds, by the clock of this machine. */
  startedAt: number
  now: number
  /** The `Date` header of a response of the gateway, in epoch milliseconds. Null if the address has no gateway. */
  gatewayTime: number | null
  /** What the gateway lacks, with the reasons, from its `/health/ready`. It needs no key. */
  lacking: Readonly<Record<string, string>>
  health: Health | null
  incidents: readonly Attention[] | null
  /** Null while catalog is unavailable. */
  restaurants: readonly AttendedRestaurant[] | null
  /** Whether accounts responded. */
  accounts: boolean
  /** The addresses of this machine, or of this container. */
  ownAddresses: readonly string[]
  /** The end of the certificate in epoch milliseconds, or the reason why TLS fails. Null without a response, or without TLS. */
  certificate: { validTo: number } | { reason: string } | null
  /** Used space by path, from 0 to 1. */
  disks: readonly { path: string; used: number }[]
  /**
   * The start of the newest archive in epoch milliseconds, or the reason why the archives could not be listed. Null without a
   * configured location.
   */
  backup: { newest: number | null } | { reason: string } | null
  /** The newest migrations of this version; null if this tool has no sources of the service. */
  migrations: { orders: string | null; payments: string | null }
}

/** A restaurant that is not a test restaurant. Both members are absent while catalog has no attendance. */
type AttendedRestaurant = { name: string; closedReason?: unknown; requireAttendance?: unknown }

const WITHIN_MS = 10_000

/**
 * Examines the platform from outside. A part that does not respond is null. A rejected key ends the examination, because nothing
 * could be read.
 */
export async function gatherFacts(target: Target): Promise<Facts> {
  const api = apiOf(target)
  const startedAt = Date.now()
  const [health, incidents, restaurants, accounts, gateway, certificate, disks, backup] = await Promise.all([
    unlessUnavailable(() => api.call(PlatformHealth)),
    unlessUnavailable(() => api.all(ReadAttention)),
    unlessUnavailable(() => api.all(Restaurants)),
    unlessUnavailable(() => api.call(Applications, { query: { limit: 1 } })),
    readGateway(target.url),
    readCertificate(target.url),
    readDisks(),
    readBackup(),
  ])
  return {
    url: target.url,
    startedAt,
    now: Date.now(),
    ...gateway,
    health,
    incidents,
    restaurants: restaurants?.filter(({ isTestRestaurant }) => !isTestRestaurant) ?? null,
    accounts: accounts !== null,
    ownAddresses: Object.values(networkInterfaces())
      .flatMap((list) => list ?? [])
      .map(({ address }) => address),
    certificate,
    disks,
    backup,
    migrations: { orders: newestMigration('orders'), payments: newestMigration('payments') },
  }
}

const Readiness = z.object({ status: z.string(), failures: z.record(z.string(), z.string()).default({}) })

async function readGateway(url: string): Promise<Pick<Facts, 'gatewayTime' | 'lacking'>> {
  try {
    const response = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(WITHIN_MS) })
    const { failures } = Readiness.parse(await response.json())
    const at = Date.parse(response.headers.get('date') ?? '')
    return { gatewayTime: Number.isNaN(at) ? null : at, lacking: failures }
  } catch {
    // The check `services` reports an address without a gateway.
    return { gatewayTime: null, lacking: {} }
  }
}

/** Returns null for a platform without TLS, and without a response, which the check `services` reports. */
async function readCertificate(url: string): Promise<Facts['certificate']> {
  const { protocol, hostname, port } = new URL(url)
  if (protocol !== 'https:') return null
  const { promise, resolve } = Promise.withResolvers<Facts['certificate']>()
  const host = hostname.replace(/^\[|\]$/g, '')
  // An address is no server name (RFC 6066, 3).
  const servername = isIP(host) === 0 ? host : ''
  const socket = connect({ host, port: Number(port || 443), servername, timeout: WITHIN_MS }, () => {
    resolve({ validTo: Date.parse(socket.getPeerCertificate().valid_to) })
    socket.end()
  })
  socket.on('error', (error: NodeJS.ErrnoException & { reason?: string }) => {
    const isNetwork = /^E(?!RR_|PROTO)/.test(error.code ?? '')
    // The message of OpenSSL has the places of its sources, and a line break.
    resolve(isNetwork ? null : { reason: error.reason ?? error.message })
  })
  socket.on('timeout', () => {
    resolve(null)
    socket.destroy()
  })
  return promise
}

async function readDisks(): Promise<Facts['disks']> {
  const folder = findStore({})?.folder
  const paths = ['/', ...(folder !== undefined && existsSync(folder) ? [folder] : [])]
  return Promise.all(
    paths.map(async (path) => {
      const { blocks, bavail } = await statfs(path)
      return { path, used: blocks === 0 ? 0 : 1 - bavail / blocks }
    }),
  )
}

async function readBackup(): Promise<Facts['backup']> {
  const store = findStore({})
  if (!store) return null
  const { listArchives, momentOf, newestOf } = await import('@platter/backup')
  try {
    const newest = newestOf(await listArchives(store))
    return { newest: newest === null ? null : momentOf(newest) }
  } catch (error) {
    return { reason: (error as Error).message }
  }
}

function newestMigration(service: string): string | null {
  const folder = join(import.meta.dirname, '../../../../services', service, 'migrations')
  if (!existsSync(folder)) return null
  const names = readdirSync(folder).filter((name) => name.endsWith('.sql'))
  return names.toSorted().at(-1)?.replace('.sql', '') ?? null
}
