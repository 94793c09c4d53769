import type { Child, ProcessHost, ProcessSpec } from './host.ts'
import { until } from './wait.ts'

/** A child that is started again whenever it dies. */
export interface Supervised {
  readonly name: string
  /** The number of the process that runs now; null between two. */
  readonly pid: number | null
  /** How often it died so far. */
  readonly deaths: number
  /** Waits until `check` holds; fails early when the child keeps dying. */
  ready(check: () => Promise<boolean>, limits: Limits): Promise<void>
  stop(): Promise<void>
}

/** How long to wait for a child to be ready. */
export interface Limits {
  readonly withinMs: number
  readonly signal: AbortSignal | undefined
}

/** What to do about a supervised child. */
export interface Supervision {
  readonly name: string
  /** Asked before every start, so that it can clear away what the last one left. */
  readonly spec: () => ProcessSpec
  readonly say: (line: string) => void
  /** Called whenever the process number changes. */
  readonly changed: (() => void) | undefined
}

const firstDelayMs = 200
const longestDelayMs = 5000
/** A child that lived this long was well: the next delay is the first one again. */
const wellAfterMs = 10_000
/** A clean end gets this long before SIGKILL. */
const graceMs = 10_000
/** A child that dies this often before it is ready will not get there by itself. */
const hopelessDeaths = 3

/** Starts a child and keeps it running until it is stopped or the host closes. */
export function supervise(host: ProcessHost, supervision: Supervision): Supervised {
  return new Supervisor(host, supervision)
}

class Supervisor implements Supervised {
  readonly name: string
  deaths = 0
  #child: Child | null = null
  #lastWords = ''
  #stopping = false
  #delayMs = firstDelayMs
  #timer: NodeJS.Timeout | undefined
  readonly #host: ProcessHost
  readonly #supervision: Supervision

  constructor(host: ProcessHost, supervision: Supervision) {
    this.#host = host
    this.#supervision = supervision
    this.name = supervision.name
    this.#start()
  }

  get pid(): number | null {
    return this.#child?.pid ?? null
  }

  async ready(check: () => Promise<boolean>, limits: Limits): Promise<void> {
    const before = this.deaths
    const hopeless = () =>
      this.deaths - before < hopelessDeaths
        ? null
        : `${this.name} died ${this.deaths - before} times while starting. Its last words:\n${this.#lastWords}`
    const evidence = () => this.#child?.output() ?? this.#lastWords
    await until(check, { what: `Starting ${this.name}`, everyMs: 100, hopeless, evidence, ...limits })
  }

  async stop(): Promise<void> {
    this.#stopping = true
    clearTimeout(this.#timer)
    await this.#child?.stop(graceMs)
  }

  #start(): void {
    if (this.#stopping || this.#host.closing) return
    const born = performance.now()
    const child = this.#host.spawn(this.#supervision.spec())
    this.#child = child
    this.#supervision.changed?.()
    void child.ended.then(({ how }) => {
      this.#child = null
      this.#supervision.changed?.()
      if (this.#stopping || this.#host.closing) return
      this.deaths++
      this.#lastWords = child.output()
      if (performance.now() - born >= wellAfterMs) this.#delayMs = firstDelayMs
      this.#supervision.say(
        `${this.name} (process ${child.pid}) ${how}; starting it again in ${this.#delayMs} ms`,
      )
      this.#timer = setTimeout(() => this.#start(), this.#delayMs)
      this.#delayMs = Math.min(this.#delayMs * 2, longestDelayMs)
    })
  }
}
