import { setTimeout as wait } from 'node:timers/promises'
import { requestTimes } from '@platter/contracts'
import type { Stack } from '../../dev/stack.ts'

export type Rolling = { restarts: { service: string; tookMs: number }[]; requests: number; failed: string[] }

const SERVICES = ['gateway', 'catalog', 'accounts', 'orders', 'payments'] as const
/** A process ends itself by `requestTimes.exit` after SIGTERM, whatever is connected; on a busy machine that is seen later. */
const EXIT_WITHIN_MS = requestTimes.exit + 20_000
const BACK_WITHIN_MS = 60_000

/** Where a request went, and whether the gateway asked for the next one to go elsewhere. */
export type Sent = { status: number; isClosing: boolean }
export type Send = (gateway: string) => Promise<Sent>

/**
 * Restarts `replicas` replicas of every service in turn, `rounds` times, with SIGTERM and under load. Clients come
 * through a load balancer, that is: one that asks a gateway less which said `Connection: close` (a real one sees it by
 * readiness), and goes to the other one when no connection is taken.
 */
export async function rollingRestarts(
  stack: Stack,
  options: { rounds: number; replicas: number; send: Send; atOnce: number },
): Promise<Rolling> {
  const over = new AbortController()
  const result: Rolling = { restarts: [], requests: 0, failed: [] }
  const balanced: Balanced = { gateways: stack.gateways, avoidUntil: new Map(), turn: 0 }
  const client = async () => {
    // A pause, so that the load leaves the processes that start the core they need.
    for (; !over.signal.aborted; await wait(PAUSE_MS)) {
      const failure = await sendSomewhere(balanced, options.send)
      result.requests++
      if (failure !== null) result.failed.push(failure)
    }
  }
  const clients = Array.from({ length: options.atOnce }, client)
  for (let round = 0; round < options.rounds; round++) {
    for (const service of SERVICES) {
      for (const pid of stack.pids(service).slice(0, options.replicas)) {
        result.restarts.push({ service, tookMs: await restart(stack, service, pid) })
      }
    }
  }
  over.abort()
  await Promise.all(clients)
  return result
}

/** Between an answer and the next order of the same client. */
const PAUSE_MS = 150

type Balanced = { gateways: readonly string[]; avoidUntil: Map<string, number>; turn: number }
const AVOID_MS = 1_000

/** Null when the request was answered well, else what went wrong. A connection that is refused is no failure: nothing was sent. */
async function sendSomewhere(balanced: Balanced, send: Send): Promise<string | null> {
  const { gateways, avoidUntil } = balanced
  const first = balanced.turn++ % gateways.length
  const inTurn = [...gateways.slice(first), ...gateways.slice(0, first)]
  const isStopping = (gateway: string) => (avoidUntil.get(gateway) ?? 0) > performance.now()
  for (const gateway of inTurn.toSorted(
    (one, other) => Number(isStopping(one)) - Number(isStopping(other)),
  )) {
    try {
      const { status, isClosing } = await send(gateway)
      if (isClosing) avoidUntil.set(gateway, performance.now() + AVOID_MS)
      return status < 500 ? null : `answered ${status}`
    } catch (error) {
      const { code, message } =
        (error as Error & { cause?: NodeJS.ErrnoException }).cause ?? (error as NodeJS.ErrnoException)
      if (code !== 'ECONNREFUSED') return `${code ?? ''} ${message}`
    }
  }
  return 'no gateway took the connection'
}

/** Ends one process gracefully and waits until its successor is ready; gives how long the end took. */
async function restart(stack: Stack, service: (typeof SERVICES)[number], pid: number): Promise<number> {
  const replicas = stack.pids(service).length
  const started = performance.now()
  process.kill(pid, 'SIGTERM')
  await until(() => !stack.pids(service).includes(pid), EXIT_WITHIN_MS, `${service} did not end`)
  const tookMs = Math.round(performance.now() - started)
  await until(() => stack.pids(service).length === replicas, BACK_WITHIN_MS, `${service} did not come back`)
  await stack.ready(service)
  return tookMs
}

async function until(isDone: () => boolean, withinMs: number, otherwise: string): Promise<void> {
  const end = performance.now() + withinMs
  while (!isDone()) {
    if (performance.now() > end) throw new Error(`${otherwise} within ${withinMs} ms`)
    await wait(20)
  }
}
