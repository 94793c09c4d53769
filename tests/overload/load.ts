import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { until } from '../../dev/process/wait.ts'

/*
 * An open-loop load generator, in a process of its own: requests come at their time whether or not earlier ones
 * were answered, as those of many clients do, and count from then. Generators with a fixed number of clients
 * (autocannon, wrk) wait for answers, and so slow down just when the platform does. It writes prepared bytes and reads
 * no more of an answer than its status, because it shares the cores with what it measures: 40 µs a request.
 */

/** One stream of requests: `rate` a second of `bytes`, in turn, under a name to count them by. */
export type Source = { name: string; rate: number; bytes: string[] }
/**
 * `connections` are opened before the first request comes, and no more, as a load balancer has them: while all of them
 * wait for answers, what comes waits here and goes on counting. Who opens one for each request is another test's.
 */
export type Plan = { port: number; host: string; connections: number; seconds: number; sources: Source[] }

/** When in the run answers were asked for, and how long they took, in ms. */
export type Answers = { at: number[]; took: number[] }
/** Of one source: its answers by status; how many requests were sent, and how late the generator was. */
export type Outcome = {
  sent: number
  answered: Record<number, Answers>
  /** Answers of 429 and 503 that had no Retry-After. */
  withoutRetryAfter: number
  lost: number
  lateMs: number[]
}
export type Outcomes = Record<string, Outcome>

const newOutcome = (): Outcome => ({ sent: 0, answered: {}, withoutRetryAfter: 0, lost: 0, lateMs: [] })

const PATIENCE_MS = 15_000
/** A request, and when it came. */
type Due = { bytes: string; outcome: Outcome; at: number }

/** Costs next to nothing, and is answered 404. */
const HELLO = 'GET / HTTP/1.1\r\nhost: platter\r\n\r\n'
const END_OF_HEAD = Buffer.from('\r\n\r\n')

/** What is open, what of it is idle (used in turn: one that says nothing for 5 s is closed), and what waits for a connection. */
class Connections {
  readonly #plan: Plan
  readonly open = new Set<Connection>()
  readonly #idle: Connection[] = []
  #queue: Due[] = []
  #next = 0
  #isOver = false
  /** When the first request came. */
  began = 0

  constructor(plan: Plan) {
    this.#plan = plan
  }

  /**
   * Opens all, and resolves when each was answered once: before that the kernel has it and the gateway may not, which accepts
   * 800 one by one in 0.3 s.
   */
  async make(): Promise<void> {
    const { connections } = this.#plan
    const outcome = newOutcome()
    for (let made = 0; made < connections; made++) this.#make().send({ bytes: HELLO, outcome, at: 0 })
    await until(() => this.#idle.length === connections, {
      what: `Using ${connections} connections once`,
      withinMs: PATIENCE_MS,
    })
  }

  send(due: Due): void {
    const connection = this.#idle.shift()
    if (connection) connection.send(due)
    else this.#queue.push(due)
  }

  get isWaiting(): boolean {
    return this.#next < this.#queue.length || [...this.open].some((one) => one.isWaiting)
  }

  idle(connection: Connection): void {
    const due = this.#queue[this.#next++]
    if (due) return connection.send(due)
    this.#idle.push(connection)
    this.#queue = []
    this.#next = 0
  }

  closed(connection: Connection): void {
    this.open.delete(connection)
    const at = this.#idle.indexOf(connection)
    if (at >= 0) this.#idle.splice(at, 1)
    if (!this.#isOver) this.idle(this.#make())
  }

  end(): void {
    this.#isOver = true
    for (const { outcome } of this.#queue.slice(this.#next)) outcome.lost++
    this.#queue = []
    for (const one of this.open) one.end()
  }

  #make(): Connection {
    const { port, host } = this.#plan
    const made = new Connection(connect({ port, host, noDelay: true }), this)
    this.open.add(made)
    return made
  }
}

class Connection {
  readonly #socket: Socket
  readonly #all: Connections
  #received: Buffer | null = null
  #waiting: Due | null = null

  constructor(socket: Socket, all: Connections) {
    this.#socket = socket
    this.#all = all
    socket.on('data', (chunk) => this.#take(chunk))
    socket.on('error', () => socket.destroy())
    socket.on('close', () => this.#over())
  }

  send(due: Due): void {
    this.#waiting = due
    this.#socket.write(due.bytes, 'latin1')
  }

  get isWaiting(): boolean {
    return this.#waiting !== null
  }

  end(): void {
    this.#socket.destroy()
  }

  /** Answers come in one piece, nearly always. */
  #take(chunk: Buffer): void {
    const received = this.#received === null ? chunk : Buffer.concat([this.#received, chunk])
    this.#received = received
    const end = received.indexOf(END_OF_HEAD)
    if (end < 0) return
    const head = received.toString('latin1', 0, end)
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN)
    if (Number.isNaN(length)) return this.end()
    if (received.length < end + 4 + length) return
    this.#received = null
    this.#answered(head)
    if (/\r\nconnection: close/i.test(head)) return this.end()
    this.#all.idle(this)
  }

  #answered(head: string): void {
    if (!this.#waiting) return
    const { outcome, at } = this.#waiting
    this.#waiting = null
    const status = Number(head.slice(9, 12))
    const answers = (outcome.answered[status] ??= { at: [], took: [] })
    answers.at.push(at - this.#all.began)
    answers.took.push(performance.now() - at)
    if ((status === 429 || status === 503) && !/\r\nretry-after: \d/i.test(head)) outcome.withoutRetryAfter++
  }

  #over(): void {
    if (this.#waiting) this.#waiting.outcome.lost++
    this.#waiting = null
    this.#all.closed(this)
  }
}

async function run(plan: Plan): Promise<Outcomes> {
  const outcomes: Outcomes = {}
  const all = new Connections(plan)
  await all.make()
  all.began = performance.now()
  const ends = all.began + plan.seconds * 1_000
  const sources = plan.sources.map((source) => {
    const outcome = newOutcome()
    outcomes[source.name] = outcome
    // Sources that begin at the same moment would otherwise ask in step.
    return { ...source, outcome, due: all.began + (1_000 / source.rate) * Math.random() }
  })
  await new Promise<void>((resolve) => {
    const turn = () => {
      const now = performance.now()
      for (const source of sources)
        for (; source.due <= now && source.due < ends; source.due += 1_000 / source.rate) {
          const { outcome, bytes, due: at } = source
          if (outcome.sent % 10 === 0) outcome.lateMs.push(now - at)
          all.send({ bytes: bytes[outcome.sent++ % bytes.length] ?? '', outcome, at })
        }
      if (now < ends) setTimeout(turn, 1)
      else resolve()
    }
    turn()
  })
  const patience = performance.now() + PATIENCE_MS
  while (all.isWaiting && performance.now() < patience) await wait(20)
  all.end()
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
