import { observeRuntime } from '#/telemetry/runtime-metrics.ts'
import { flushCompileCache } from 'node:module'
import { Server } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { requestTimes } from '@platter/contracts'
import type { z } from 'zod'
import { readConfig, type TelemetryConfig } from '#/lifecycle/config.ts'
import type { App } from '#/http/app.ts'
import { Deadline } from '#/http/deadline.ts'
import { createLog, type Log } from '#/telemetry/log.ts'
import { Problem } from '#/http/problem.ts'
import { STARTING_HEADER, STOPPING_HEADER } from '#/http/upstream.ts'
import { retryUntilSuccess } from '#/lifecycle/repeat.ts'

/** The parts of a service, as its `wire.ts` returns them. */
export type Parts = {
  app: App
  /** Work to be done before the process listens. */
  prepare?(): Promise<void>
  /** Starts the parts that need other servers (migrations, consumers); retried until it succeeds. */
  start?(): Promise<void>
  /** Readiness: each resolves, or rejects with the reason why the service cannot do its work. */
  checks: Record<string, () => Promise<void>>
  /** Stops consumers and sweepers, and waits for their running work. */
  quiesce?(): Promise<void>
  /** Closes connections, as the last step. */
  close?(): Promise<void>
}

/** A slower check counts as failed, so that the probe never hangs. */
const CHECK_TIMEOUT_MS = 1_500
/** Time for callers to see the stopping header before this replica stops listening. */
const LEAVING_MS = 500
/** Longer than a service keeps an idle connection, see `Replicas`. */
const CALLERS_GONE_MS = 2_500
/**
 * Connections that may wait to be accepted; Linux allows 4,096. Past it the kernel drops the SYN of any client, which repeats it
 * after 1 s, 3 s, 7 s …: with Node's 511 an overload made other clients wait for 30 s.
 */
const BACKLOG = 4_096
/** An unavailable OTLP receiver is logged once in this time. */
const RECEIVER_LOG_INTERVAL_MS = 600_000

type Basics = { HOST: string; PORT: number; LOG_LEVEL: string } & Partial<TelemetryConfig>

/**
 * Runs a service: configuration, parts, health, listening, starting, and a graceful end on SIGTERM or
 * SIGINT. It listens before its dependencies are available: it is live then, and ready when they are.
 */
export async function run<S extends z.ZodType<Basics>>(
  name: string,
  Config: S,
  wire: (config: z.output<S>, log: Log) => Parts,
): Promise<void> {
  const config = readConfig(Config)
  const log = createLog(name, config.LOG_LEVEL)
  const stopTelemetry = await startTelemetry(name, config, log)
  const parts = wire(config, log)
  const state = { started: false, stopping: new AbortController() }
  addHealth(parts, state)
  rejectUntilStarted(parts.app, state)
  announceStop(parts.app, state)
  stopOnSignals(parts, { stopping: state.stopping, log, stopTelemetry })
  await parts.prepare?.()
  await parts.app.listen({ host: config.HOST, port: config.PORT, backlog: BACKLOG })
  const start = parts.start?.bind(parts)
  if (start) await retryUntilSuccess('start', start, log, state.stopping.signal)
  state.started = true
  log.info({ address: parts.app.listeningOrigin }, 'started')
  // Node does it at exit, which a killed process never reaches.
  flushCompileCache()
}

/** Loads the SDK only with a receiver. */
async function startTelemetry(name: string, config: Basics, log: Log): Promise<() => Promise<void>> {
  if (config.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return async () => undefined
  const sdk = await import('#/telemetry/sdk.ts')
  let loggedAt = Number.NEGATIVE_INFINITY
  const logReason = (reason: string) => {
    if (performance.now() - loggedAt < RECEIVER_LOG_INTERVAL_MS) return
    loggedAt = performance.now()
    log.warn({ reason }, 'the OTLP receiver does not accept telemetry')
  }
  const stop = sdk.startTelemetry(name, config as TelemetryConfig, logReason)
  observeRuntime()
  return stop
}

type State = { started: boolean; stopping: AbortController }

/** Before the migrations there are no tables: requests are rejected, and callers may use another replica. */
function rejectUntilStarted(app: App, state: State): void {
  app.addHook('onRequest', ({ url }, reply, done) => {
    if (state.started || url.startsWith('/health/')) return done()
    reply.raw.setHeader(STARTING_HEADER, 'true')
    done(new Problem('service-unavailable', 'The service is starting. Please try again.'))
  })
}

/** While the process stops, every response makes its caller connect to another replica. */
function announceStop(app: App, state: State): void {
  app.addHook('onRequest', (_request, reply, done) => {
    // On the raw response, which relayed responses use as well.
    if (state.stopping.signal.aborted) {
      reply.raw.setHeader('connection', 'close')
      reply.raw.setHeader(STOPPING_HEADER, 'true')
    }
    done()
  })
}

/**
 * `live`: the process responds. `serving`: it accepts requests. `ready`: its dependencies are available as well. Load balancers use
 * `serving`: PostgreSQL and RabbitMQ are unavailable to all replicas at once, which still serve the other requests.
 */
export function addHealth({ app, checks }: Pick<Parts, 'app' | 'checks'>, state: State): void {
  app.get('/health/live', async () => ({ status: 'live' }))
  app.get('/health/serving', async (_request, reply) => {
    if (state.started && !state.stopping.signal.aborted) return { status: 'serving' }
    return reply.code(503).send({ status: state.started ? 'stopping' : 'starting' })
  })
  app.get('/health/ready', async (_request, reply) => {
    const failures = state.stopping.signal.aborted
      ? { service: 'stopping' }
      : state.started
        ? await failedChecks(checks)
        : { service: 'starting' }
    const ready = Object.keys(failures).length === 0
    return reply.code(ready ? 200 : 503).send(ready ? { status: 'ready' } : { status: 'not ready', failures })
  })
}

async function failedChecks(checks: Parts['checks']): Promise<Record<string, string>> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      try {
        const isPassed = await Deadline.in(CHECK_TIMEOUT_MS).race(check().then(() => true))
        return isPassed ? [] : [[name, `no result within ${CHECK_TIMEOUT_MS} ms`] as const]
      } catch (error) {
        return [[name, error instanceof Error ? error.message : String(error)] as const]
      }
    }),
  )
  return Object.fromEntries(results.flat())
}

type Ending = { stopping: AbortController; log: Log; stopTelemetry: () => Promise<void> }

function stopOnSignals(parts: Parts, { stopping, log, stopTelemetry }: Ending): void {
  const end = (code: number): never => {
    log.flush()
    process.exit(code)
  }
  const stop = (signal: string) => {
    // A second signal does not wait.
    if (stopping.signal.aborted) end(1)
    log.info({ signal }, 'stopping')
    stopping.abort()
    setTimeout(() => end(1), requestTimes.exit).unref()
    shutDown(parts)
      .then(
        () => 0,
        (error: unknown) => {
          log.error({ err: error }, 'could not stop cleanly')
          return 1
        },
      )
      .then(async (code) => {
        await stopTelemetry()
        end(code)
      })
      .catch(() => end(1))
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  const die = (error: unknown) => {
    log.fatal({ err: error }, 'uncaught error: the process ends, and its supervisor restarts it')
    end(1)
  }
  process.on('uncaughtException', die)
  process.on('unhandledRejection', die)
}

async function shutDown(parts: Parts): Promise<void> {
  await Promise.all([drain(parts.app), parts.quiesce?.()])
  await parts.close?.()
}

/**
 * Ends running requests without losing one. Every response makes its caller connect to another replica (`announceStop`). After the
 * time to see one, new connections are refused, and requests on open ones are still served. Our own services close an idle
 * connection after two seconds. Closing it here first could cross with a request on its way. `close` is last, because it alone
 * would wait up to 72 s for keep-alive connections.
 *
 * Upgrade note: `close` of an HTTP server closes idle connections too (Node 19), and has no option against it. So this calls the
 * method that it inherits, which only stops listening. After an upgrade of Node run `drain.unit.test.ts`: it fails when an idle
 * connection is closed.
 */
export async function drain(app: App): Promise<void> {
  if ((await connectionsOf(app.server)) > 0) await wait(LEAVING_MS)
  Server.prototype.close.call(app.server)
  await until(async () => (await connectionsOf(app.server)) === 0, CALLERS_GONE_MS)
  const idle = setInterval(() => app.server.closeIdleConnections(), 100)
  // A connection that is still busy then, or holds half a request, is cut.
  const left = requestTimes.drain - CALLERS_GONE_MS - LEAVING_MS
  const hard = setTimeout(() => app.server.closeAllConnections(), left)
  await app.close()
  clearInterval(idle)
  clearTimeout(hard)
}

const connectionsOf = (server: Server): Promise<number> => promisify(server.getConnections.bind(server))()

async function until(isDone: () => Promise<boolean>, withinMs: number): Promise<void> {
  const end = performance.now() + withinMs
  while (!(await isDone()) && performance.now() < end) await wait(50)
}
