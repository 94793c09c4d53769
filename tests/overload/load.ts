import { connect, type Socket } from 'node:net'

/*
 * An open-loop load generator, in a process of its own: requests leave at their time whether or not earlier ones
 * were answered, as those of many clients do. Generators with a fixed number of connections (autocannon, wrk) wait
 * for answers, and so slow down just when the platform does. It writes prepared bytes and reads no more of an answer
 * than its status, because it shares the cores with what it measures: 25 µs a request.
 */

/** One stream of requests: `rate` a second of `bytes`, in turn, under a name to count them by. */
export type Source = { name: string; rate: number; bytes: string[] }
export type Plan = { port: number; host: string; seconds: number; sources: Source[] }

/** Of one source: how long what was answered so took, in ms by `status`; how many were sent, and how late the generator was. */
export type Outcome = {
  sent: number
  answered: Record<number, number[]>
  /** Answers of 429 and 503 that had no Retry-After. */
  withoutRetryAfter: number
  lost: number
  lateMs: number[]
}
export type Outcomes = Record<string, Outcome>

const PATIENCE_MS = 15_000
/** What is idle is used again; a load balancer in front would not open more either. */
const CONNECTIONS = 8_000

type Waiting = { outcome: Outcome; at: number }

class Connection {
  readonly #socket: Socket
  readonly #idle: Connection[]
  #received: Buffer = Buffer.alloc(0)
  #waiting: Waiting | null = null
  isOpen = true

  constructor(plan: Plan, idle: Connection[]) {
    this.#idle = idle
    this.#socket = connect({ port: plan.port, host: plan.host, noDelay: true })
    this.#socket.on('data', (chunk) => this.#take(chunk))
    this.#socket.on('error', () => this.#socket.destroy())
    this.#socket.on('close', () => this.#over())
  }

  send(bytes: string, outcome: Outcome): void {
    this.#waiting = { outcome, at: performance.now() }
    this.#socket.write(bytes)
  }

  get waitsSince(): number {
    return this.#waiting?.at ?? Infinity
  }

  end(): void {
    this.#socket.destroy()
  }

  #take(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk])
    const end = this.#received.indexOf('\r\n\r\n')
    if (end < 0) return
    const head = this.#received.toString('latin1', 0, end)
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN)
    if (Number.isNaN(length)) return this.end()
    if (this.#received.length < end + 4 + length) return
    this.#received = this.#received.subarray(end + 4 + length)
    this.#answered(head)
    if (/\r\nconnection: close/i.test(head)) return this.end()
    this.#idle.push(this)
  }

  #answered(head: string): void {
    if (!this.#waiting) return
    const { outcome, at } = this.#waiting
    this.#waiting = null
    const status = Number(head.slice(9, 12))
    ;(outcome.answered[status] ??= []).push(performance.now() - at)
    if ((status === 429 || status === 503) && !/\r\nretry-after: \d/i.test(head)) outcome.withoutRetryAfter++
  }

  #over(): void {
    this.isOpen = false
    if (this.#waiting) this.#waiting.outcome.lost++
    this.#waiting = null
  }
}

async function run(plan: Plan): Promise<Outcomes> {
  const idle: Connection[] = []
  const all = new Set<Connection>()
  const outcomes: Outcomes = {}
  const ends = performance.now() + plan.seconds * 1_000
  const sources = plan.sources.map((source) => {
    const outcome: Outcome = { sent: 0, answered: {}, withoutRetryAfter: 0, lost: 0, lateMs: [] }
    outcomes[source.name] = outcome
    // Sources that begin at the same moment would otherwise ask in step.
    return { ...source, outcome, due: performance.now() + (1_000 / source.rate) * Math.random() }
  })
  const free = (): Connection => {
    for (let found = idle.pop(); found; found = idle.pop()) if (found.isOpen) return found
    for (const one of all) if (!one.isOpen) all.delete(one)
    const made = new Connection(plan, idle)
    all.add(made)
    return made
  }
  const send = ({ outcome, bytes }: (typeof sources)[number]) => {
    const next = bytes[outcome.sent++ % bytes.length] ?? ''
    if (idle.length === 0 && all.size >= CONNECTIONS) outcome.lost++
    else free().send(next, outcome)
  }
  await new Promise<void>((resolve) => {
    const turn = () => {
      const now = performance.now()
      for (const source of sources)
        for (; source.due <= now && source.due < ends; source.due += 1_000 / source.rate) {
          if (source.outcome.sent % 10 === 0) source.outcome.lateMs.push(now - source.due)
          send(source)
        }
      if (now < ends) setTimeout(turn, 1)
      else resolve()
    }
    turn()
  })
  const patience = performance.now() + PATIENCE_MS
  const isWaiting = () => [...all].some(({ isOpen, waitsSince }) => isOpen && waitsSince < Infinity)
  while (isWaiting() && performance.now() < patience) await new Promise((resolve) => setTimeout(resolve, 20))
  for (const one of all) one.end()
  await new Promise((resolve) => setImmediate(resolve))
  return outcomes
}

process.on('message', (plan: Plan) => {
  run(plan).then(
    (outcomes) => process.send?.(outcomes),
    (error: unknown) => {
      throw error
    },
  )
})
