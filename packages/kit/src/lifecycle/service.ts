import { observeRuntime } from '#/telemetry/runtime-metrics.ts'
import { flushCompileCache } from 'node:module'
import { Server } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { requestTimes } from '@platter/contracts'
import type { z } from 'zod'
import { readConfig, UnusableConfiguration, type TelemetryConfig } from '#/lifecycle/config.ts'
import type { App } from '#/http/app.ts'
import { Deadline } from '#/http/deadline.ts'
import { createLog, reasonOf, type Log } from '#/telemetry/log.ts'
import { Problem } from '#/http/problem.ts'
import { NOT_PROCESSED_HEADER, STOPPING_HEADER } from '#/http/upstream.ts'
import { retryUntilSuccess } from '#/lifecycle/repeat.ts'

/** The parts of a service, as its `wire.ts` returns them. */
export type Parts = {
  app: App
  /** Starts the parts that need other servers (migrations, consumers). It is retried until it succeeds. */
  start?(): Promise<void>
  /** The readiness checks. Each resolves, or rejects with the reason why the service is not ready. */
  checks: Record<string, () => Promise<void>>
  /** Stops consumers and sweepers, and waits for their running work. */
  quiesce?(): Promise<void>
  /** Closes connections. This is the last step. */
  close?(): Promise<void>
}

/** A slower check counts as failed, so that the probe never times out. */
const CHECK_TIMEOUT_MS = 1_500
/** The time for callers to receive the stopping header before this replica stops listening. */
const LEAVING_MS = 500
/** Longer than callers keep an idle connection, see `Replicas`. */
const CALLERS_CLOSED_MS = 2_500
/**
 * The listen backlog, at Linux's maximum (4,096). When it is full, the kernel drops SYN packets, and clients repeat them after 1 s,
 * 3 s, 7 s …. With Node's default of 511, an overload delayed other clients by 30 s.
 */
const BACKLOG = 4_096
/** An unavailable OTLP receiver is logged at most once in this time. */
const RECEIVER_LOG_INTERVAL_MS = 600_000

type Basics = { HOST: string; PORT: number; LOG_LEVEL: string } & Partial<TelemetryConfig>

/**
 * Runs a service: reads its configuration, creates its parts, adds health endpoints, listens, starts, and shuts down gracefully on
 * SIGTERM or SIGINT. It listens (live) before its dependencies are available (ready).
 */
export async function run<S extends z.ZodType<Basics>>(
  name: string,
  Config: S,
  wire: (config: z.output<S>, log: Log) => Parts,
): Promise<void> {
  try {
    await runConfigured(name, Config, wire)
  } catch (error) {
    // Thrown nevertheless: fill-compile-cache.ts catches it.
    if (error instanceof UnusableConfiguration)
      process.once('uncaughtException', () => endUnusable(name, error))
    throw error
  }
}

/** One line: without this, the last lines of the log would be a stack trace, and not the variable to correct. */
function endUnusable(name: string, { message }: UnusableConfiguration): never {
  const log = createLog(name, 'fatal')
  log.fatal({ reason: message }, 'the configuration cannot be used')
  log.flush()
  process.exit(1)
}

async function runConfigured<S extends z.ZodType<Basics>>(
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
  announceState(parts.app, state)
  stopOnSignals(parts, { stopping: state.stopping, log, stopTelemetry })
  await parts.app.listen({ host: config.HOST, port: config.PORT, backlog: BACKLOG })
  const start = parts.start?.bind(parts)
  if (start) await retryUntilSuccess('start', start, log, state.stopping.signal)
  // Stopped before its dependencies were available: the server no longer listens.
  if (state.stopping.signal.aborted) return
  state.started = true
  log.info({ address: parts.app.listeningOrigin }, 'started')
  // Node writes the cache at exit, which a killed process never reaches.
  flushCompileCache()
}

/** Loads the SDK only if a receiver is configured. */
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

/**
 * Rejects requests until the migrations have created the tables, and marks each response of a stopping process, so that its caller
 * connects to another replica.
 */
function announceState(app: App, state: State): void {
  app.addHook('onRequest', ({ url }, reply, done) => {
    // Sets the headers on the raw response, because relayed responses bypass the reply.
    if (state.stopping.signal.aborted) {
      reply.raw.setHeader('connection', 'close')
      reply.raw.setHeader(STOPPING_HEADER, 'true')
    }
    if (state.started || url.startsWith('/health/')) return done()
    reply.raw.setHeader(NOT_PROCESSED_HEADER, 'it is starting')
    done(new Problem('service-unavailable', 'The service is starting. Please try again.'))
  })
}

/**
 * Adds the health endpoints. `live`: the process responds. `serving`: it accepts requests. `ready`: its dependencies are available
 * too. Load balancers use `serving`, because an outage of PostgreSQL or RabbitMQ affects all replicas, which can still serve other
 * requests.
 */
export function addHealth({ app, checks }: Pick<Parts, 'app' | 'checks'>, state: State): void {
  app.get('/health/live', async () => ({ status: 'live' }))
  app.get('/health/serving', async (_request, reply) => {
    if (state.started && !state.stopping.signal.aborted) return { status: 'serving' }
    return reply.code(503).send({ status: state.started ? 'stopping' : 'starting' })
  })
  app.get('/health/ready', async ({ headers }, reply) => {
    const withinMs = Deadline.of(headers, 0).limit(CHECK_TIMEOUT_MS)
    const failures = state.stopping.signal.aborted
      ? { service: 'stopping' }
      : state.started
        ? await failedChecks(checks, withinMs)
        : { service: 'starting' }
    const ready = Object.keys(failures).length === 0
    return reply.code(ready ? 200 : 503).send(ready ? { status: 'ready' } : { status: 'not ready', failures })
  })
}

async function failedChecks(checks: Parts['checks'], withinMs: number): Promise<Record<string, string>> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      try {
        const isPassed = await Deadline.in(withinMs).race(check().then(() => true))
        return isPassed ? [] : [[name, `no result within ${Math.round(withinMs)} ms`] as const]
      } catch (error) {
        return [[name, reasonOf(error)] as const]
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
    // A second signal ends the process immediately.
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
 * Completes running requests without the loss of a request. Each response makes its caller connect to another replica
 * (`announceState`). After LEAVING_MS the server refuses new connections, but still serves requests on open connections. Internal
 * callers close idle connections after two seconds. If this side closed them first, it could interrupt a new request. `close` runs
 * last, because without these steps it would wait up to 72 s for keep-alive connections.
 *
 * Upgrade note: since Node 19, `close` of an HTTP server also closes idle connections, without an option to disable that. So this
 * code calls the inherited method, which only stops listening. After an upgrade of Node run `drain.unit.test.ts`, which fails if an
 * idle connection is closed.
 */
export async function drain(app: App): Promise<void> {
  if ((await connectionsOf(app.server)) > 0) await wait(LEAVING_MS)
  Server.prototype.close.call(app.server)
  const end = performance.now() + CALLERS_CLOSED_MS
  while ((await connectionsOf(app.server)) > 0 && performance.now() < end) await wait(50)
  const idle = setInterval(() => app.server.closeIdleConnections(), 100)
  // Closes connections that are still busy or have sent half a request.
  const left = requestTimes.drain - CALLERS_CLOSED_MS - LEAVING_MS
  const hard = setTimeout(() => app.server.closeAllConnections(), left)
  await app.close()
  clearInterval(idle)
  clearTimeout(hard)
}

const connectionsOf = (server: Server): Promise<number> => promisify(server.getConnections.bind(server))()
