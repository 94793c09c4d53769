import { setTimeout as wait } from 'node:timers/promises'
import { requestTimes } from '@platter/contracts'
import { isReady } from '../../dev/process/ready.ts'
import { until } from '../../dev/process/wait.ts'
import { serviceNames, type ServiceName } from '../../dev/stack/services.ts'
import type { Stack } from '../../dev/stack.ts'

/** `restarts`: the milliseconds until the end of each process. */
type Rolling = { restarts: number[]; requests: number; failed: string[] }

/** A process ends by `requestTimes.exit` after SIGTERM, even with open connections. On a busy machine the test sees it later. */
const EXIT_WITHIN_MS = requestTimes.exit + 20_000

/** The status of a response, and whether the gateway announced the end of the connection. */
type Sent = { status: number; isClosing: boolean }
export type Send = (gateway: string) => Promise<Sent>

/**
 * Restarts `replicas` replicas of every service in turn, `rounds` times, with SIGTERM and under load. The clients behave like a
 * load balancer. They avoid a gateway that sent `Connection: close` until it is ready again, and use the other gateway after a
 * refused connection. `pauseMs`: between a response and the next order of the same client.
 */
export async function rollingRestarts(
  stack: Stack,
  options: { rounds: number; replicas: number; send: Send; concurrency: number; pauseMs: number },
): Promise<Rolling> {
  const over = new AbortController()
  const result: Rolling = { restarts: [], requests: 0, failed: [] }
  const send = balance(stack.gateways, options.send)
  const client = async () => {
    // The pause leaves a core to the processes that start.
    for (; !over.signal.aborted; await wait(options.pauseMs)) {
      const failure = await send()
      result.requests++
      if (failure !== null) result.failed.push(failure)
    }
  }
  const clients = Array.from({ length: options.concurrency }, client)
  for (let round = 0; round < options.rounds; round++)
    for (const service of serviceNames)
      for (const pid of stack.pids(service).slice(0, options.replicas))
        result.restarts.push(await restart(stack, service, pid))
  over.abort()
  await Promise.all(clients)
  return result
}

/**
 * Returns a sender to all gateways in turn. It returns null, or a description of the failure. A refused connection is no failure,
 * because the request was not sent. A stopping gateway is avoided until it is ready. A request over one of its idle connections could
 * arrive while it closes them: "other side closed".
 */
function balance(gateways: readonly string[], send: Send): () => Promise<string | null> {
  const stopping = new Set<string>()
  const avoided = (gateway: string) => Number(stopping.has(gateway))
  let turn = 0
  return async () => {
    const first = turn++ % gateways.length
    const inTurn = [...gateways.slice(first), ...gateways.slice(0, first)]
    for (const gateway of stopping) if (await isReady(gateway)) stopping.delete(gateway)
    for (const gateway of inTurn.toSorted((one, other) => avoided(one) - avoided(other))) {
      try {
        const { status, isClosing } = await send(gateway)
        if (isClosing) stopping.add(gateway)
        return status === 200 ? null : `response ${status}`
      } catch (error) {
        const { code, message } =
          (error as Error & { cause?: NodeJS.ErrnoException }).cause ?? (error as NodeJS.ErrnoException)
        if (code !== 'ECONNREFUSED') return `${code ?? ''} ${message}`
      }
    }
    return 'no gateway accepted the connection'
  }
}

/** Ends one process gracefully, and waits until its successor is ready. Returns the milliseconds until the end. */
async function restart(stack: Stack, service: ServiceName, pid: number): Promise<number> {
  const started = performance.now()
  process.kill(pid, 'SIGTERM')
  await until(() => !stack.pids(service).includes(pid), {
    what: `The end of ${service}`,
    withinMs: EXIT_WITHIN_MS,
    everyMs: 20,
  })
  const tookMs = Math.round(performance.now() - started)
  await stack.ready(service)
  return tookMs
}
