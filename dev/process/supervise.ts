import type { Reporter } from '../progress.ts'
import type { Child, ProcessHost, ProcessSpec } from './host.ts'
import { until } from './wait.ts'

/** The limits of a wait for readiness. */
type Limits = {
  readonly withinMs: number
  readonly signal: AbortSignal | undefined
}

/** The launcher of a supervised child. */
type Supervisor = {
  readonly host: ProcessHost
  readonly reporter: Pick<Reporter, 'print'>
  /** Called whenever the process id changes. */
  readonly changed?: (() => void) | undefined
  /** The limit of the backoff between restarts; default: 5 s. */
  readonly longestRestartDelayMs?: number | undefined
}

/** A check takes 1 ms of CPU. Each 100 ms, the checks of a stack of 12 processes took a tenth of a core while these started. */
const CHECK_EVERY_MS = 250
const FIRST_DELAY_MS = 200
const LONGEST_RESTART_DELAY_MS = 5_000
/** After this lifetime the backoff starts again at FIRST_DELAY_MS. */
const STABLE_AFTER_MS = 10_000
/** The time between the stop signal and SIGKILL. */
const GRACE_MS = 10_000
/** The number of deaths before readiness after which `ready` fails. */
const MOST_DEATHS = 3

/** A child that is restarted whenever it dies, until it is stopped or the host closes. */
export class Supervised {
  #deaths = 0
  #name = ''
  #child: Child | null = null
  #lastOutput = ''
  #stopping = false
  #delayMs = FIRST_DELAY_MS
  #timer: NodeJS.Timeout | undefined
  readonly #supervisor: Supervisor
  readonly #spec: () => ProcessSpec

  /** Starts the child. `spec` is called before every start, so that it can remove leftovers of the previous process. */
  constructor(supervisor: Supervisor, spec: () => ProcessSpec) {
    this.#supervisor = supervisor
    this.#spec = spec
    this.#start()
  }

  /** The id of the running process; empty between two. */
  readonly pids = (): number[] => [this.#child?.pid ?? []].flat()

  /** Waits until `check` is true. Fails early if the child dies repeatedly. */
  async ready(check: () => Promise<boolean>, limits: Limits): Promise<void> {
    const name = this.#name
    const before = this.#deaths
    const hopeless = () =>
      this.#deaths - before < MOST_DEATHS
        ? null
        : `${name} died ${this.#deaths - before} times while starting. Its last output:\n${this.#lastOutput}`
    const evidence = () => this.#child?.output() ?? this.#lastOutput
    await until(check, { what: `Starting ${name}`, everyMs: CHECK_EVERY_MS, hopeless, evidence, ...limits })
  }

  readonly stop = async (): Promise<void> => {
    this.#stopping = true
    clearTimeout(this.#timer)
    await this.#child?.stop(GRACE_MS)
  }

  #start(): void {
    const { host, reporter, changed, longestRestartDelayMs = LONGEST_RESTART_DELAY_MS } = this.#supervisor
    if (this.#stopping || host.closing) return
    const born = performance.now()
    const spec = this.#spec()
    const child = host.spawn(spec)
    this.#name = spec.name
    this.#child = child
    changed?.()
    void child.ended.then(({ how }) => {
      this.#child = null
      changed?.()
      if (this.#stopping || host.closing) return
      this.#deaths++
      this.#lastOutput = child.output()
      if (performance.now() - born >= STABLE_AFTER_MS) this.#delayMs = FIRST_DELAY_MS
      const delayMs = Math.min(this.#delayMs, longestRestartDelayMs)
      reporter.print(`${spec.name} (process ${child.pid}) ${how}; restarting it in ${delayMs} ms`)
      this.#timer = setTimeout(() => this.#start(), delayMs)
      this.#delayMs = delayMs * 2
    })
  }
}
