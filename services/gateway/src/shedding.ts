import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Operation } from '@platter/contracts'
import { rejectEarly, ROUTING, type Log } from '@platter/kit'
import findMyWay from 'find-my-way'
import type { AccessKeys } from '#/access-keys.ts'
import type { Admission, Limits } from '#/admission.ts'
import { methodsOf } from '#/methods.ts'

type Deps = {
  operations: readonly Operation[]
  admission: Admission
  accessKeys: AccessKeys
  log: Log
}

/**
 * Rejections are collected for this time. At 4,000 per second, one write for each took the gateway 55 % of a core instead of 44 %
 * (docs/decisions/0031-admission-control.md).
 */
const GATHER_MS = 5

/** The path template of a route, and its limits. */
type Route = { path: string; limits: Limits }

/**
 * Rejects requests before Fastify handles them: those above a concurrency limit, and those of an access key or application above
 * its rate limit. Thousands of rejections may arrive per second, and their cost delays accepted requests. A request that cannot be
 * decided here continues to its route, which checks the same limits again.
 */
export class Shedding {
  readonly #deps: Deps
  readonly #routes = findMyWay(ROUTING)
  /** Rejections since the last log lines, by access key and code. */
  readonly #rejected = new Map<string, { accessKeyId: string; code: string; count: number }>()
  #gathered: (() => void)[] = []
  #isOver = false

  constructor(deps: Deps) {
    this.#deps = deps
    for (const operation of deps.operations) {
      const { path } = operation
      const route: Route = { path, limits: deps.admission.limitsOf(operation) }
      this.#routes.on(methodsOf(operation, deps.operations), path, () => undefined, route)
    }
  }

  /** Ends early rejection: while the process stops, the responses of Fastify ask clients to reconnect. */
  end(): void {
    this.#isOver = true
    this.logRejections()
  }

  /** Logs the rejections since the last call, one line for each access key and code. */
  logRejections(): void {
    for (const line of this.#rejected.values()) this.#deps.log.info(line, 'requests refused')
    this.#rejected.clear()
  }

  /** Returns whether the request is above a limit. Then its response is sent within GATHER_MS. */
  rejects(request: IncomingMessage, response: ServerResponse): boolean {
    const { admission, accessKeys } = this.#deps
    if (this.#isOver || !admission.mayReject) return false
    const { headers, httpVersion, method, url } = request
    if (httpVersion !== '1.1' || headers.host === undefined) return false
    const found = this.#routes.find(method as 'GET', url ?? '/')
    if (!found) return false
    const { path, limits } = found.store as Route
    const key = headers['x-access-token'] ?? found.searchParams['access-token']
    const principal = typeof key === 'string' ? accessKeys.lastKnown(key) : null
    if (!principal) return false
    const rejection = admission.rejectionOf(principal, limits)
    if (!rejection) return false
    const { problem, fields } = rejection
    this.#count(principal.accessKeyId, problem.code)
    this.#gather(() => rejectEarly(problem, { request, response, route: path, headers: fields }))
    return true
  }

  #gather(respond: () => void): void {
    if (this.#gathered.length === 0) setTimeout(() => this.#respond(), GATHER_MS)
    this.#gathered.push(respond)
  }

  #respond(): void {
    const gathered = this.#gathered
    this.#gathered = []
    for (const respond of gathered) respond()
  }

  #count(accessKeyId: string, code: string): void {
    const name = `${accessKeyId} ${code}`
    const counted = this.#rejected.get(name)
    if (counted) counted.count += 1
    else this.#rejected.set(name, { accessKeyId, code, count: 1 })
  }
}
