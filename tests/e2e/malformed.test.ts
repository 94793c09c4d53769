import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import type { StackFile } from '../../dev/stack/description.ts'
import { serviceNames } from '../../dev/stack/services.ts'
import { exchange } from '../support/exchange.ts'
import { peaksOf, residentOf, type Groups } from '../support/processes.ts'
import { randomOf } from '../support/random.ts'
import { formatStatuses } from '../support/statistics.ts'
import { eventually, stack } from './client.ts'
import { makeRequest, type Made, type World } from './malformed/requests.ts'
import { violationIn, WITHIN_MS } from './malformed/violation.ts'
import { makeWireRequest } from './malformed/wire.ts'
import { aWorld } from './malformed/world.ts'
import { ownStack } from './stack.ts'

/** `npm run malformed` is the long form, with a new seed each time. MALFORMED_SEED=… repeats the requests of a seed. */
const COUNT = Number(process.env['MALFORMED'] ?? 1_000)
const SEED = Number(process.env['MALFORMED_SEED'] ?? (process.env['MALFORMED'] ? randomInt(1_000_000) : 2))
/**
 * The long form has more concurrent requests. Beside other tests fewer run, because each sign-in or registration costs a tenth of a
 * second of a core.
 */
const IS_LONG = COUNT >= 50_000
const AT_ONCE = IS_LONG ? 32 : 8
/** Heaps grow with the load, and shrink after a collection. After this number of requests they must not grow any more. */
const WARM = COUNT / 2
/** MiB by which a process may exceed its maximum of the first half. No two heaps are equal. */
const GROWTH = 40

/** Returns the current processes of the services, from the file that the launcher updates. */
function processes(): Record<string, number[]> {
  const file = join(dirname(ownStack().data.logs), 'stack.json')
  const { processes: running } = JSON.parse(readFileSync(file, 'utf8')) as StackFile
  return Object.fromEntries(serviceNames.map((service) => [service, running[service]]))
}

/** Returns each process by its service and number. */
const eachProcess = (): Groups =>
  Object.fromEntries(
    Object.entries(processes()).flatMap(([service, pids]) =>
      pids.map((pid, at) => [`${service}-${at + 1}`, () => [pid]] as const),
    ),
  )

/**
 * Resolves when no process has grown, or after a minute, in which V8 collects an idle heap. Throws the names of processes that have
 * grown.
 */
async function checkMemory(before: Record<string, number>): Promise<void> {
  process.stderr.write(`MiB at most, half-way: ${JSON.stringify(before)}\n`)
  const now = await eventually(
    () => residentOf(eachProcess()),
    (mib) => grown(before, mib).length === 0,
    60_000,
  )
  process.stderr.write(`MiB at the end: ${JSON.stringify(now)}\n`)
  if (grown(before, now).length > 0) throw new Error(`grew: ${grown(before, now).join(', ')}`)
}

/**
 * Sends 32 bodies of 3.7 MB that are no menus, eight at a time. A process that has parsed four at once then uses 230 to 254 MiB for
 * any number of bodies, and another process 180 MiB. Chance decides which process does so in which half. This load removes that
 * difference.
 */
async function sendLargeBodies({ keyFor, apiKeys }: World): Promise<void> {
  const one = { name: 'x'.repeat(100), items: [{ a: 1, b: [1, 2, 3] }] }
  const body = JSON.stringify(Array.from({ length: 25_000 }, () => one))
  const path = `/operatorapi/v1/restaurants/${apiKeys['restaurants']?.[0]}/menu`
  const head = `PUT ${path} HTTP/1.1\r\nhost: localhost\r\nx-access-token: ${keyFor(path)}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`
  const bytes = Buffer.from(head + body)
  for (let round = 0; round < 4; round++) {
    const exchanges = Array.from({ length: 8 }, () =>
      exchange(stack().gateway, bytes, { isHead: false, ends: false }),
    )
    for (const { status } of await Promise.all(exchanges)) expect(status).toBe(400)
  }
}

const grown = (before: Record<string, number>, now: Record<string, number>): string[] =>
  Object.entries(now)
    .filter(([name, mib]) => mib > (before[name] ?? 0) + GROWTH)
    .map(([name, mib]) => `${name}: ${before[name]} MiB, now ${mib}`)

const sendRequest = (request: Made) => exchange(stack().gateway, request.bytes, request)

/**
 * Returns the faults of the best of five responses to each of these requests, sent one at a time. A request that hangs does so each
 * time. On a busy machine, or with a service that responds too late (503), one of five succeeds.
 */
async function repeatAlone(requests: readonly Made[]): Promise<string[]> {
  const wrong: string[] = []
  for (const request of requests) {
    const complaints: string[] = []
    for (let attempts = 0; attempts < 5 && complaints.length === attempts; attempts++) {
      const response = await sendRequest(request)
      const late = response.ms > WITHIN_MS ? `${response.status} after ${Math.round(response.ms)} ms` : null
      const fault = late ?? violationIn(response, request)
      if (fault !== null) complaints.push(fault)
    }
    if (complaints.length === 5) wrong.push(`${complaints.join(', ')}, also alone\n  ${abbreviate(request)}`)
  }
  return wrong
}

/** Returns a request on one line, without its repeated parts. */
const abbreviate = ({ operation, bytes }: Made): string => {
  const sent = JSON.stringify(bytes.toString('latin1')).replaceAll(/(.{1,8})\1{9,}/g, '$1…')
  return `${operation}: ${sent.slice(0, 1_500)}`
}

test(
  `${COUNT} malformed requests (seed ${SEED}) get no 5xx but catalogued problems in time; no process dies`,
  { timeout: 240_000 + COUNT * 60 },
  async () => {
    const random = randomOf(SEED)
    const world = await aWorld()
    if (IS_LONG) await sendLargeBodies(world)
    const statuses = new Map<number, number>()
    const complaints: string[] = []
    const late: Made[] = []
    let slowest = 0
    let made = 0
    let warm: Record<string, number> = {}
    const before = processes()
    async function client() {
      while (made < COUNT && complaints.length < 50) {
        made += 1
        const number = made
        if (number === WARM) warm = peaksOf(eachProcess())
        const request = random.next() < 0.5 ? makeRequest(random, world) : makeWireRequest(random, world)
        const response = await sendRequest(request)
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
        slowest = Math.max(slowest, response.ms)
        const isLate = response.ms > WITHIN_MS
        // The gateway closes a connection whose head it has not read within 5 s, for example while the machine stands still.
        const isUnavailable = response.status === 503 || (isLate && response.status === 0)
        if (isUnavailable || isLate) late.push(request)
        const wrong = isUnavailable ? null : violationIn(response, request)
        if (wrong !== null) complaints.push(`${wrong}\n  no. ${number}, ${abbreviate(request)}`)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, client))
    complaints.push(...(await repeatAlone(late)))
    process.stderr.write(
      `slowest response: ${Math.round(slowest)} ms, ${late.length} repeated alone; ${formatStatuses(Object.fromEntries(statuses))}\n`,
    )
    expect(complaints.join('\n')).toBe('')
    if (IS_LONG) await checkMemory(warm)
    expect(processes()).toEqual(before)
    // Without enough successes, the requests would have reached only the outermost checks.
    expect(statuses.get(200)).toBeGreaterThan(COUNT / 40)
    expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 400, 401, 404, 405, 422]))
  },
)
