import type { Child, ProcessHost, ProcessSpec } from './host.ts'
import { until } from './wait.ts'

/** The limits of a wait for readiness. */
type Limits = {
  readonly withinMs: number
  readonly signal: AbortSignal | undefined
}

/** The settings of a supervised child. */
export type Supervision = {
  /** Called before every start, so that it can remove leftovers of the previous process. */
  readonly spec: () => ProcessSpec
  readonly print: (line: string) => void
  /** Called whenever the process id changes. */
  readonly changed: (() => void) | undefined
}

const FIRST_DELAY_MS = 200
const LONGEST_DELAY_MS = 5_000
/** After this lifetime the backoff starts again at FIRST_DELAY_MS. */
const STABLE_AFTER_MS = 10_000
/** The time between the stop signal and SIGKILL. */
const GRACE_MS = 10_000
/** The number of deaths before readiness after which `ready` fails. */
const MOST_DEATHS = 3

/** Starts a child and keeps it running until it is stopped or the host closes. */
export function supervise(host: ProcessHost, supervision: Supervision): Supervised {
  return new Supervised(host, supervision)
}

/** A child that is restarted whenever it dies. */
export class Supervised {
  #deaths = 0
  #name = ''
  #child: Child | null = null
  #lastOutput = ''
  #stopping = false
  #delayMs = FIRST_DELAY_MS
  #timer: NodeJS.Timeout | undefined
  readonly #host: ProcessHost
  readonly #supervision: Supervision

  constructor(host: ProcessHost, supervision: Supervision) {
    this.#host = host
    this.#supervision = supervision
    this.#start()
  }

  /** The id of the running process; null between two. */
  get pid(): number | null {
    return this.#child?.pid ?? null
  }

  /** Waits until `check` is true. Fails early if the child dies repeatedly. */
  async ready(check: () => Promise<boolean>, limits: Limits): Promise<void> {
    const name = this.#name
    const before = this.#deaths
    const hopeless = () =>
      this.#deaths - before < MOST_DEATHS
        ? null
        : `${name} died ${this.#deaths - before} times while starting. Its last output:\n${this.#lastOutput}`
    const evidence = () => this.#child?.output() ?? this.#lastOutput
    await until(check, { what: `Starting ${name}`, everyMs: 100, hopeless, evidence, ...limits })
  }

  async stop(): Promise<void> {
    this.#stopping = true
    clearTimeout(this.#timer)
    await this.#child?.stop(GRACE_MS)
  }

  #start(): void {
    if (this.#stopping || this.#host.closing) return
    const born = performance.now()
    const spec = this.#supervision.spec()
    const child = this.#host.spawn(spec)
    this.#name = spec.name
    this.#child = child
    this.#supervision.changed?.()
    void child.ended.then(({ how }) => {
      this.#child = null
      this.#supervision.changed?.()
      if (this.#stopping || this.#host.closing) return
      this.#deaths++
      this.#lastOutput = child.output()
      if (performance.now() - born >= STABLE_AFTER_MS) this.#delayMs = FIRST_DELAY_MS
      this.#supervision.print(
        `${spec.name} (process ${child.pid}) ${how}; restarting it in ${this.#delayMs} ms`,
      )
      this.#timer = setTimeout(() => this.#start(), this.#delayMs)
      this.#delayMs = Math.min(this.#delayMs * 2, LONGEST_DELAY_MS)
    })
  }
}
