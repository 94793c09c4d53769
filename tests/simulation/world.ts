import { setImmediate } from 'node:timers'
import TinyQueue from 'tinyqueue'
import type { Violation } from '../support/invariants.ts'
import { randomOf, type Random } from '../support/random.ts'
import { currentProcess } from './simulation.ts'

/**
 * One process from its start to its death. Closures of its events are its memory. The death drops these events, so the next process
 * starts without memory.
 */
export class Process {
  readonly name: string
  isAlive = true
  /** The process is stopped until then, as by SIGSTOP. Its events wait. */
  frozenUntil = 0
  readonly #endings: (() => void)[] = []

  constructor(name: string) {
    this.name = name
  }

  onDeath(ending: () => void): void {
    this.#endings.push(ending)
  }

  die(): void {
    this.isAlive = false
    for (const ending of this.#endings) ending()
  }
}

/** Probabilities of a fault for a single message, statement or call. A run sets some of them to 0 or raises them. */
const CHANCES = {
  crash: 0.006,
  'message dropped': 0.02,
  'message lost, connection cut': 0.015,
  'message kept, connection cut': 0.02,
  'message duplicated': 0.06,
  'message delayed': 0.06,
  'statement refused': 0.012,
  'statement done, result lost': 0.012,
  'statement slow': 0.02,
  'processor unavailable': 0.06,
  'processor: request lost': 0.06,
  'processor: reply lost': 0.06,
  'processor: request late': 0.06,
  'processor: 500 after the effect': 0.05,
  'restaurant unavailable': 0.06,
  'restaurant: request lost': 0.05,
  'restaurant: reply lost': 0.05,
  'restaurant: request late': 0.05,
  'restaurant: 500': 0.05,
  'client: request lost': 0.04,
  'client: reply lost': 0.08,
  'client: sent twice': 0.08,
} as const
type Chance = keyof typeof CHANCES

const LATEST_MS = 30_000

type Exchange<R> = {
  /** The system accepts no connection. */
  isUnavailable: boolean
  /** The system never responds. */
  isUnresponsive?: boolean
  /** The results without a connection, and without a response in time. */
  unavailable: R
  timedOut: R
  withinMs: number
  /** The effect of a request that arrives late. */
  effect: () => unknown
  /** Handles a request that arrives in time. */
  handle: (respond: (response: R) => void, timeOut: () => void) => void
}

type Event = { at: number; order: number; owner: Process | null; run: () => void }

/** Microtasks run before the next immediate, so after it no resolved promise still has callbacks to run. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Runs all events in sequence in virtual time. The seed decides each random choice. */
export class World {
  readonly random: Random
  /** Virtual milliseconds. */
  now = 0
  /** No fault occurs from then on. */
  isCalm = false
  /** The process whose code runs now. */
  current: Process | null = null
  events = 0
  /** The numbers of the faults, and of the commits of each state of a saga. */
  readonly counts = new Map<string, number>()
  readonly history: string[] | null
  /** Defects that the oracle cannot find in the records. */
  readonly violations: Violation[] = []
  readonly #queue = new TinyQueue<Event>([], (one, other) => one.at - other.at || one.order - other.order)
  readonly #chances = new Map<Chance, number>()
  #order = 0

  constructor(seed: number, isRecorded: boolean) {
    this.random = randomOf(seed)
    this.history = isRecorded ? [] : null
    for (const kind of Object.keys(CHANCES) as Chance[]) {
      const mood = this.random.next()
      this.#chances.set(kind, CHANCES[kind] * (mood < 0.4 ? 0 : mood < 0.8 ? 1 : mood < 0.95 ? 4 : 10))
    }
  }

  /** Returns true if the fault occurs now, and then counts and records it. */
  faultOccurs(kind: Chance, about = ''): boolean {
    if (this.isCalm || this.random.next() >= (this.#chances.get(kind) ?? 0)) return false
    this.recordFault(kind, about)
    return true
  }

  recordFault(kind: string, about = ''): void {
    this.count(kind)
    this.note(`FAULT ${kind} ${about}`)
  }

  count(name: string): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1)
  }

  note(what: string): void {
    this.history?.push(`${this.now.toFixed(1).padStart(9)}  ${(this.current?.name ?? '-').padEnd(12)}${what}`)
  }

  recordViolation(what: string): void {
    this.note(`VIOLATED ${what}`)
    this.violations.push({ what, order: null })
  }

  /** Returns the milliseconds of an undisturbed transmission. */
  hop(): number {
    return 0.5 + this.random.next() * 4
  }

  /** Schedules `run`. Without an owner, it runs no code of a process. */
  schedule(inMs: number, owner: Process | null, run: () => void): void {
    this.#queue.push({ at: this.now + inMs, order: this.#order++, owner, run })
  }

  /** Delivers a request to an outside system. If its sender dies earlier, the request either arrives or is lost. */
  deliverRequest(inMs: number, sender: Process | null, run: () => void): void {
    this.schedule(inMs, null, () => {
      if (sender?.isAlive !== false || this.random.next() < 0.5) run()
    })
  }

  /** Calls a remote system. `send` receives the function that delivers the response to the caller. */
  call<R>(send: (respond: (response: R, inMs?: number) => void) => void): Promise<R> {
    const caller = currentProcess()
    return new Promise((resolve) =>
      send((response, inMs = this.hop()) => this.schedule(inMs, caller, () => resolve(response))),
    )
  }

  /** Sends a request to a system whose network drops and delays requests, and returns the result that the caller sees. */
  exchange<R>(to: 'processor' | 'restaurant', request: Exchange<R>): Promise<R> {
    const caller = currentProcess()
    return this.call((respond) => {
      const timeOut = () => respond(request.timedOut, request.withinMs)
      if (request.isUnavailable || this.faultOccurs(`${to} unavailable`)) return respond(request.unavailable)
      if (request.isUnresponsive || this.faultOccurs(`${to}: request lost`)) return timeOut()
      if (this.faultOccurs(`${to}: request late`)) {
        this.deliverRequest(this.random.next() * LATEST_MS, null, () => void request.effect())
        return timeOut()
      }
      this.deliverRequest(this.hop(), caller, () => request.handle(respond, timeOut))
    })
  }

  /** Runs until `done` or `untilMs`. */
  async run(untilMs: number, done: () => boolean): Promise<void> {
    while (!done()) {
      const next = this.#queue.peek()
      if (!next || next.at > untilMs) break
      this.#queue.pop()
      await this.#execute(next)
    }
    if (!done()) this.now = Math.max(this.now, untilMs)
  }

  async #execute(event: Event): Promise<void> {
    const { owner } = event
    if (owner?.isAlive === false) return
    this.now = Math.max(this.now, event.at)
    if (owner && owner.frozenUntil > this.now) {
      this.#queue.push({ ...event, at: owner.frozenUntil })
      return
    }
    this.events++
    if (owner === null) return event.run()
    if (owner.name !== 'client' && this.faultOccurs('crash', owner.name)) return owner.die()
    this.current = owner
    event.run()
    await settled()
    this.current = null
  }
}
