import { setTimeout as wait } from 'node:timers/promises'
import { requestTimes } from '@platter/contracts'
import { until } from '../../dev/process/wait.ts'
import { serviceNames, type ServiceName } from '../../dev/stack/services.ts'
import type { Stack } from '../../dev/stack.ts'

export type Rolling = { restarts: { service: string; tookMs: number }[]; requests: number; failed: string[] }

/** A process ends by `requestTimes.exit` after SIGTERM, even with open connections. On a busy machine the test sees it later. */
const EXIT_WITHIN_MS = requestTimes.exit + 20_000
const RESTART_WITHIN_MS = 60_000

/** The status of a response, and whether the gateway announced the end of the connection. */
type Sent = { status: number; isClosing: boolean }
export type Send = (gateway: string) => Promise<Sent>

/**
 * Restarts `replicas` replicas of every service in turn, `rounds` times, with SIGTERM and under load. The clients behave like a
 * load balancer. They avoid a gateway that sent `Connection: close` (a real one uses its readiness), and use the other gateway
 * after a refused connection.
 */
export async function rollingRestarts(
  stack: Stack,
  options: { rounds: number; replicas: number; send: Send; atOnce: number },
): Promise<Rolling> {
  const over = new AbortController()
  const result: Rolling = { restarts: [], requests: 0, failed: [] }
  const balancer = new Balancer(stack.gateways, options.send)
  const client = async () => {
    // The pause leaves a core to the processes that start.
    for (; !over.signal.aborted; await wait(PAUSE_MS)) {
      const failure = await balancer.send()
      result.requests++
      if (failure !== null) result.failed.push(failure)
    }
  }
  const clients = Array.from({ length: options.atOnce }, client)
  for (let round = 0; round < options.rounds; round++)
    for (const service of serviceNames)
      for (const pid of stack.pids(service).slice(0, options.replicas))
        result.restarts.push({ service, tookMs: await restart(stack, service, pid) })
  over.abort()
  await Promise.all(clients)
  return result
}

/** The pause between a response and the next order of the same client. */
const PAUSE_MS = 150

const AVOID_MS = 1_000

class Balancer {
  readonly #gateways: readonly string[]
  readonly #send: Send
  readonly #avoidUntil = new Map<string, number>()
  #turn = 0

  constructor(gateways: readonly string[], send: Send) {
    this.#gateways = gateways
    this.#send = send
  }

  /** Returns null, or a description of the failure. A refused connection is no failure, because the request was not sent. */
  async send(): Promise<string | null> {
    for (const gateway of this.#inTurn()) {
      try {
        const { status, isClosing } = await this.#send(gateway)
        if (isClosing) this.#avoidUntil.set(gateway, performance.now() + AVOID_MS)
        return status < 500 ? null : `response ${status}`
      } catch (error) {
        const { code, message } =
          (error as Error & { cause?: NodeJS.ErrnoException }).cause ?? (error as NodeJS.ErrnoException)
        if (code !== 'ECONNREFUSED') return `${code ?? ''} ${message}`
      }
    }
    return 'no gateway accepted the connection'
  }

  #inTurn(): string[] {
    const first = this.#turn++ % this.#gateways.length
    const avoided = (gateway: string) => Number((this.#avoidUntil.get(gateway) ?? 0) > performance.now())
    return [...this.#gateways.slice(first), ...this.#gateways.slice(0, first)].toSorted(
      (one, other) => avoided(one) - avoided(other),
    )
  }
}

/** Ends one process gracefully, and waits until its successor is ready. Returns the milliseconds until the end. */
async function restart(stack: Stack, service: ServiceName, pid: number): Promise<number> {
  const replicas = stack.pids(service).length
  const started = performance.now()
  process.kill(pid, 'SIGTERM')
  await until(() => !stack.pids(service).includes(pid), {
    what: `The end of ${service}`,
    withinMs: EXIT_WITHIN_MS,
    everyMs: 20,
  })
  const tookMs = Math.round(performance.now() - started)
  await until(() => stack.pids(service).length === replicas, {
    what: `The restart of ${service}`,
    withinMs: RESTART_WITHIN_MS,
    everyMs: 20,
  })
  await stack.ready(service)
  return tookMs
}
