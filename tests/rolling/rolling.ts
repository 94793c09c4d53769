import { setTimeout as wait } from 'node:timers/promises'
import type { Stack } from '../../dev/stack.ts'

export type Rolling = { restarts: { service: string; tookMs: number }[]; requests: number; failed: string[] }

const SERVICES = ['gateway', 'catalog', 'accounts', 'orders', 'payments'] as const
/** What SIGTERM may take at most, whatever is connected. */
const EXIT_WITHIN_MS = 10_000

/**
 * Restarts `replicas` replicas of every service in turn, `rounds` times, with SIGTERM and under load. Clients come
 * through a load balancer, that is: one whose gateway takes no connection goes to the other one.
 */
export async function rollingRestarts(
  stack: Stack,
  options: { rounds: number; replicas: number; send: (gateway: string) => Promise<number>; atOnce: number },
): Promise<Rolling> {
  const over = new AbortController()
  const result: Rolling = { restarts: [], requests: 0, failed: [] }
  const client = async () => {
    while (!over.signal.aborted) {
      const failure = await sendSomewhere(stack.gateways, options.send)
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

/** Null when the request was answered well, else what went wrong. A connection that is refused is no failure: nothing was sent. */
async function sendSomewhere(
  gateways: readonly string[],
  send: (gateway: string) => Promise<number>,
): Promise<string | null> {
  const first = Math.floor(Math.random() * gateways.length)
  for (let offset = 0; offset < gateways.length; offset++) {
    const gateway = gateways[(first + offset) % gateways.length] ?? ''
    try {
      const status = await send(gateway)
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
  await until(() => stack.pids(service).length === replicas, 10_000, `${service} did not come back`)
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
