import type { Attention } from '@platter/contracts'
import { isIP } from 'node:net'
import type { Facts, Health } from '#/doctor/facts.ts'
import { namesOf } from '#/doctor/names.ts'

/** One line of the table. `remedy` applies to a wrong state. */
export type Finding = { check: string; state: 'ok' | 'wrong' | 'unknown'; detail: string; remedy: string }

type Check = (facts: Facts) => Omit<Finding, 'check'>

const ok = (detail: string) => ({ state: 'ok' as const, detail, remedy: '' })
const wrong = (detail: string, remedy: string) => ({ state: 'wrong' as const, detail, remedy })
const unknown = (detail: string) => ({
  state: 'unknown' as const,
  detail,
  remedy: 'Read it again when the platform responds.',
})

const noPayments = (health: Health | null) => unknown(`no response from ${health ? 'payments' : 'orders'}`)

/** All checks, in the order of the table. */
export function findingsOf(facts: Facts): Finding[] {
  const found = Object.entries(checks).map(([check, examine]) => ({ check, ...examine(facts) }))
  if (!isKeyUnchecked(facts)) return found
  return found.map((one) => (one.state === 'unknown' ? { ...one, ...unknown(UNCHECKED) } : one))
}

/**
 * The gateway verifies the operator key at accounts. Without accounts it rejects each request (503), so the other services may
 * respond or not.
 */
const isKeyUnchecked = ({ gatewayTime, health, incidents, restaurants, accounts }: Facts): boolean =>
  gatewayTime !== null && !accounts && !health && !incidents && !restaurants

const UNCHECKED = 'without accounts the operator key is not accepted'

const DAY_MS = 86_400_000
const MAX_SKEW_MS = 5_000
const MAX_WAITING = 1_000
const FULL = 0.85

const isPrivate = (address: string): boolean =>
  /^(10\.|127\.|192\.168\.|169\.254\.|172\.(1[6-9]|2\d|3[01])\.|::1$|f[cd]|fe80)/i.test(address)

const isLocal = ({ url }: Facts): boolean => {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '')
  return host === 'localhost' || (isIP(host) > 0 && isPrivate(host))
}

const checks: Readonly<Record<string, Check>> = {
  services(facts) {
    const { url, gatewayTime, lacking, health, restaurants, accounts } = facts
    const lacks = Object.entries(lacking).map(([name, reason]) => `${name} (${reason})`)
    if (isKeyUnchecked(facts))
      return wrong(
        `no response from accounts${lacks.length === 0 ? '' : `; the gateway lacks ${lacks.join(', ')}`}`,
        'Check PostgreSQL and accounts first, and read their logs. Then run this again, for the other checks.',
      )
    const states: [string, boolean][] = [
      ['orders', health !== null],
      // Orders reports payments.
      ['payments', health === null || health.payments !== null],
      ['catalog', restaurants !== null],
      ['accounts', accounts],
    ]
    const missing = states.filter(([, isAvailable]) => !isAvailable).map(([name]) => name)
    if (missing.length + lacks.length === 0)
      return ok('gateway, orders, payments, catalog and accounts respond')
    if (gatewayTime === null)
      return wrong(`no gateway responds at ${url}`, 'Check the address, and that the gateway runs.')
    return wrong(
      missing.length > 0 ? `no response from ${missing.join(', ')}` : `the gateway lacks ${lacks.join(', ')}`,
      'Read their logs; /health/ready of each reports its unavailable dependencies.',
    )
  },
  database({ health }) {
    if (!health) return unknown('no response from orders')
    const without = [
      health.orders.database ? '' : 'orders',
      health.payments?.database === null ? 'payments' : '',
    ]
    const names = without.filter((name) => name !== '')
    if (names.length === 0) return ok('PostgreSQL responds')
    return wrong(
      `PostgreSQL does not respond to ${names.join(' and ')}`,
      'Check that it runs and that its disk is not full.',
    )
  },
  TLS(facts) {
    const { certificate, now } = facts
    if (!facts.url.startsWith('https:'))
      return isLocal(facts)
        ? ok('not used on this machine')
        : wrong('access keys and cards travel unencrypted', 'Put a proxy with TLS in front of the gateway.')
    if (!certificate) return unknown('the certificate was not read')
    if ('reason' in certificate)
      return wrong(
        `TLS fails: ${certificate.reason}`,
        'Read the log of the proxy, and renew the certificate if it is not valid.',
      )
    const days = Math.floor((certificate.validTo - now) / DAY_MS)
    if (days >= 10) return ok(`the certificate is valid for ${days} days`)
    return wrong(`the certificate ends in ${days} days`, 'Its renewal has failed: read the log of the proxy.')
  },
  proxies(facts) {
    const { health } = facts
    if (!health) return unknown('no response from orders')
    const address = health.clientAddress
    const isOwn = address !== null && facts.ownAddresses.includes(address)
    if (address !== null && (isOwn || isLocal(facts) || !isPrivate(address)))
      return ok(`this client is ${address}`)
    return wrong(
      `the gateway sees ${address ?? 'no address'} for this client, the address of a proxy`,
      'Set TRUSTED_PROXIES of the gateway to the addresses of the proxy. Until then all clients share their limits.',
    )
  },
  secrets({ health }) {
    if (!health) return unknown('no response from orders')
    if (!health.development) return ok('services reject publicly known secrets')
    return wrong(
      'services accept publicly known secrets',
      'For real orders, set NODE_ENV=production and your own secrets.',
    )
  },
  clock({ health, gatewayTime, startedAt, now }) {
    if (gatewayTime === null) return unknown('the gateway does not respond')
    const times: [string, number | undefined][] = [
      ['the gateway', gatewayTime],
      ['the database of orders', seconds(health?.orders.database?.at)],
      ['the database of payments', seconds(health?.payments?.database?.at)],
    ]
    const skewed = times
      .map(([name, at]) => [name, at === undefined ? 0 : skewOf(at, startedAt, now)] as const)
      .filter(([, skew]) => Math.abs(skew) > MAX_SKEW_MS)
    if (skewed.length === 0) return ok('all clocks agree within 5 s')
    const words = skewed.map(([name, skew]) => `${name} differs by ${Math.round(skew / 1000)} s`)
    return wrong(words.join(', '), 'Run a time service (chrony, systemd-timesyncd) on each machine.')
  },
  disk({ disks }) {
    const full = disks.filter(({ used }) => used >= FULL)
    if (full.length === 0) return ok(inWords(disks))
    return wrong(
      `nearly full: ${inWords(full)}`,
      'Enlarge it, or delete files. A full disk stops PostgreSQL.',
    )
  },
  backup({ backup, now }) {
    const remedy =
      'Run "platter backup", and read the log of the daily one (docs/operations.md, "Old backup").'
    if (!backup) return wrong('no folder of archives is known', `Set BACKUP_FOLDER. ${remedy}`)
    if ('reason' in backup) return wrong(`the archives cannot be listed: ${backup.reason}`, remedy)
    if (backup.newest === null) return wrong('there is no archive', remedy)
    const hours = Math.floor((now - backup.newest) / 3_600_000)
    return hours <= 26
      ? ok(`the newest archive is ${hours} h old`)
      : wrong(`the newest archive is ${hours} h old`, remedy)
  },
  queues({ health }) {
    if (!health) return unknown('no response from orders')
    const queues = [health.orders.queues, health.payments?.queues]
    if (queues.includes(null))
      return wrong('RabbitMQ does not respond', 'Check that it runs. Orders wait in their rows.')
    const long = queues.flatMap((list) => list ?? []).filter(({ waiting }) => waiting > MAX_WAITING)
    if (long.length === 0) return ok('no queue grows')
    const words = long.map(({ queue, waiting }) => `${queue} has ${waiting} messages`)
    return wrong(words.join(', '), 'Its service is too slow, or unavailable: read its log.')
  },
  Redis({ health }) {
    if (typeof health?.redis !== 'boolean') return noPayments(health)
    if (health.redis) return ok('Redis responds')
    return wrong('Redis does not respond: each replica counts limits alone', 'Check its log, and REDIS_URL.')
  },
  'dead letters': ({ incidents }) => incidentsOf(incidents, (kind) => kind === 'dead-letter', 'dead letters'),
  incidents: ({ incidents }) => incidentsOf(incidents, (kind) => kind !== 'dead-letter', 'incidents'),
  attendance({ restaurants }) {
    if (!restaurants) return unknown('catalog does not respond')
    const unattended = restaurants.filter(({ closedReason }) => closedReason === 'unattended')
    const off = restaurants.filter(({ requireAttendance }) => requireAttendance === false)
    const words = [
      unattended.length > 0 ? `unattended: ${namesOf(unattended)}` : '',
      off.length > 0 ? `takes orders without attendance: ${namesOf(off)}` : '',
    ].filter((word) => word !== '')
    if (words.length === 0) return ok('no restaurant is unattended, and attendance is required everywhere')
    return wrong(
      words.join('; '),
      'Call the restaurant: its console must be open, or its system must accept the ping of its webhook. Set requireAttendance to true.',
    )
  },
  schema({ health, migrations }) {
    if (!health) return unknown('no response from orders')
    const found = {
      orders: health.orders.database?.migration,
      payments: health.payments?.database?.migration,
    }
    const other = (['orders', 'payments'] as const).filter(
      (name) => found[name] !== undefined && migrations[name] !== null && found[name] !== migrations[name],
    )
    const missing = health.orders.database?.missingIndexes ?? []
    if (other.length === 0 && missing.length > 0)
      return wrong(
        `the indexes ${missing.join(', ')} are missing: orders builds them while it runs`,
        'Wait. Until then "orders find" is slow. If it lasts for hours, the log of orders has the reason.',
      )
    if (other.length === 0) return ok('the schemas fit this version')
    const words = other.map((name) => `${name} is at ${found[name]}, this version has ${migrations[name]}`)
    return wrong(
      words.join(', '),
      'Use the same version for the services and this tool, and restart the services.',
    )
  },
  processor({ health }) {
    if (!health?.processor) return noPayments(health)
    const { kind, test, reachable, reason } = health.processor
    if (!reachable)
      return wrong(
        `the payment processor does not respond: ${reason}`,
        'Check its status page, and STRIPE_SECRET_KEY.',
      )
    if (test && !health.development)
      return wrong(
        `no card is charged: ${kind === 'stripe' ? 'STRIPE_SECRET_KEY is a test key' : 'the development processor is in use'}`,
        'Set PROCESSOR=stripe and its live keys.',
      )
    return ok(kind === 'none' ? 'cash only' : `${kind} responds`)
  },
  webhook({ health, now }) {
    if (!health?.processor) return noPayments(health)
    const { kind, charges, lastEvent } = health.processor
    if (kind !== 'stripe') return ok('not used by this processor')
    const age = lastEvent === null ? Infinity : now - lastEvent * 1000
    if (charges === 0 || age < DAY_MS) return ok(lastEvent === null ? 'no charge yet' : 'events arrive')
    return wrong(
      'the processor has charges of the last day, and none of its events arrived',
      'Check the endpoint /webhooks/stripe at Stripe, and STRIPE_WEBHOOK_SECRET.',
    )
  },
}

/** The names in the first column of the table. */
export const CHECKS: readonly string[] = Object.keys(checks)

const inWords = (disks: Facts['disks']): string =>
  disks.map(({ path, used }) => `${path} ${Math.round(used * 100)} %`).join(', ')

/** Returns the clock skew. A missing service delays the other readings by seconds: each was between `from` and `to`. */
const skewOf = (at: number, from: number, to: number): number => at - Math.min(Math.max(at, from), to)

const seconds = (at: number | undefined): number | undefined => (at === undefined ? undefined : at * 1000)

/** `isIncluded`: the kinds of the line. Kinds that cannot be read are in the line of all incidents. */
function incidentsOf(
  incidents: Facts['incidents'],
  isIncluded: (kind: Attention['kind']) => boolean,
  name: string,
): Omit<Finding, 'check'> {
  if (!incidents) return unknown('no response from orders')
  const included = incidents.filter(({ kind }) => isIncluded(kind))
  const found = included.filter(({ kind }) => kind !== 'incidents-unavailable')
  const unavailable = included.filter(({ kind }) => kind === 'incidents-unavailable')
  const missing = unavailable.map(({ what }) => `${what} cannot be read`)
  if (found.length === 0) return missing.length === 0 ? ok(`no ${name}`) : unknown(missing.join(', '))
  const kinds = [...Map.groupBy(found, ({ kind }) => kind)].map(([kind, list]) => `${list.length} × ${kind}`)
  return wrong([...kinds, ...missing].join(', '), 'Run "platter attention list".')
}
