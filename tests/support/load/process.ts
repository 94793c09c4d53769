import { RoundRobinPool, type Dispatcher } from 'undici'
import { within } from '../../../dev/process/wait.ts'
import { serve } from '../worker.ts'
import { requestOf, UNIQUE, type Job, type Outcomes, type Request, type Source } from './generator.ts'
import { runLoad, type Outcome, type Reply } from './loop.ts'

/* The process of a load generator. */

/** A request with almost no cost for the gateway. */
const PROBE = requestOf({ method: 'GET', path: '/' })
const OPEN_WITHIN_MS = 15_000

/**
 * Sends a request, and resolves with status 0 if it fails. The reply has a failure if its status is not the expected one. A
 * generator shares the cores with the measured processes: `dispatch` takes 25 µs of CPU for each request, and `request` 41 µs.
 */
function send(pool: Dispatcher, request: Request, expects?: number): Promise<Reply> {
  const { promise, resolve } = Promise.withResolvers<Reply>()
  const reply: Reply = { status: 0 }
  const isExpected = () => expects === undefined || reply.status === expects
  let text = ''
  pool.dispatch(request, {
    // undici rejects a handler without it.
    onRequestStart: () => undefined,
    onResponseStart(_controller, status, headers) {
      reply.status = status
      const isRefused = status === 429 || status === 503
      reply.lacksRetryAfter = isRefused && !/^\d/.test(String(headers['retry-after']))
    },
    onResponseData(_controller, chunk) {
      if (!isExpected() && text.length < 500) text += chunk.toString()
    },
    onResponseEnd: () => resolve(isExpected() ? reply : { ...reply, failure: `${reply.status} ${text}` }),
    onResponseError: (_controller, { message }) => resolve({ status: 0, failure: message }),
  })
  return promise
}

/**
 * Resolves when each connection has carried a request. The gateway accepts 800 connections one after another, in 0.3 s. Rejects if
 * the gateway closes one: requests on it would be lost, and the measurement would not be one of the gateway.
 */
async function probe(pools: readonly Dispatcher[], connections: number): Promise<void> {
  const probes = Array.from({ length: connections }, (_, n) => send(pools[n % pools.length]!, PROBE))
  const closed = (await within(OPEN_WITHIN_MS, Promise.all(probes)))?.filter(({ status }) => status === 0)
  if (closed?.length === 0) return
  throw new Error(
    closed === undefined
      ? `not all connections carried a request within ${OPEN_WITHIN_MS} ms`
      : `${closed.length} connections were closed: is their number above CONNECTIONS_PER_ADDRESS?`,
  )
}

const withUniqueKey = (request: Request): Request =>
  request.headers['idempotency-key'] === UNIQUE
    ? { ...request, headers: { ...request.headers, 'idempotency-key': crypto.randomUUID() } }
    : request

serve<Job, Outcomes>('', async ({ origins, connections, sources }) => {
  const each = { connections: Math.ceil(connections / origins.length), pipelining: 1 }
  const pools = origins.map((origin) => new RoundRobinPool(origin, each))
  try {
    // A closed loop has one connection per client, and includes the opening of connections in its measurement.
    if (sources.some(({ load }) => 'perSecond' in load)) await probe(pools, connections)
    const run = async ({ name, load, requests, expects }: Source): Promise<[name: string, Outcome]> => [
      name,
      await runLoad(load, (n) =>
        send(pools[n % pools.length]!, withUniqueKey(requests[n % requests.length]!), expects),
      ),
    ]
    return Object.fromEntries(await Promise.all(sources.map(run)))
  } finally {
    await Promise.all(pools.map((pool) => pool.destroy()))
  }
})
