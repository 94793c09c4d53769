import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Principal } from '@platter/contracts'
import {
  overloaded,
  rejectEarly,
  ROUTING,
  type App,
  type ConcurrencyLimit,
  type Log,
  type Problem,
} from '@platter/kit'
import findMyWay from 'find-my-way'
import { methodsOf } from '#/methods.ts'
import {
  applicationOf,
  limitsOf,
  rateLimited,
  rateLimitHeaders,
  type Limits,
  type Needs as NeedsOfRoutes,
} from '#/routes/public-routes.ts'

/** The limits of the routes, and the log of rejections. */
type Needs = Pick<NeedsOfRoutes, 'operations' | 'concurrency' | 'accessKeys' | 'rateLimit' | 'orderRate'> & {
  log: Log
}

/**
 * Rejections are gathered for this time: at 4,000 a second, one write each took the gateway 55 % of a core instead of 44
 * (docs/decisions/0031-admission-control.md).
 */
const TOGETHER_MS = 5

/** Of each route: the template of its path and, for new work, its limits. */
type Route = { path: string; limits: Limits }

type Refusal = { problem: Problem; headers?: Record<string, string> }

/**
 * Rejects requests early, before Fastify, that the routes would reject: new work above the concurrency limit, and requests of an
 * access key above its rate limit. They come in thousands a second, and their cost is taken from the requests that are served. In
 * doubt a request takes the normal way, where the same limits are checked again.
 */
export class Shedding {
  readonly #needs: Needs
  readonly #concurrency: readonly ConcurrencyLimit[]
  readonly #routes = findMyWay(ROUTING)
  /** Rejections since the last log lines, by access key and code. */
  readonly #refused = new Map<string, { accessKeyId: string; code: string; count: number }>()
  #held: (() => void)[] = []
  #isOver = false

  constructor(app: App, needs: Needs) {
    this.#needs = needs
    this.#concurrency = Object.values(needs.concurrency)
    for (const operation of needs.operations) {
      const { path } = operation
      const route: Route = { path, limits: limitsOf(operation, needs) }
      this.#routes.on(methodsOf(operation, needs.operations), path, () => undefined, route)
    }
    const [handle] = app.server.listeners('request')
    app.server.removeAllListeners('request')
    app.server.on('request', (request, response) => {
      if (!this.#refuses(request, response)) handle?.call(app.server, request, response)
    })
  }

  /** Ends early rejection: while stopping, Fastify's answers ask callers to reconnect. */
  end(): void {
    this.#isOver = true
    this.tell()
  }

  /** Logs the rejections since the last call: a line for each access key, not for each request. False, as no more is left. */
  tell(): false {
    for (const line of this.#refused.values()) this.#needs.log.info(line, 'requests refused')
    this.#refused.clear()
    return false
  }

  #refuses(request: IncomingMessage, response: ServerResponse): boolean {
    if (this.#isOver || !this.#mayRefuse()) return false
    const { headers, httpVersion, method, url } = request
    if (httpVersion !== '1.1' || headers.host === undefined) return false
    const found = this.#routes.find(method as 'GET', url ?? '/')
    if (!found) return false
    const { path, limits } = found.store as Route
    const key = headers['x-access-token'] ?? found.searchParams['access-token']
    const principal = typeof key === 'string' ? this.#needs.accessKeys.lastKnown(key) : null
    if (!principal || principal.kind === 'service') return false
    const refusal = this.#refusalOf(principal, limits)
    if (!refusal) return false
    this.#count(principal.accessKeyId, refusal.problem.code)
    const { problem, headers: more } = refusal
    this.#hold(() => rejectEarly(problem, { request, response, route: path, headers: more }))
    return true
  }

  #hold(answer: () => void): void {
    if (this.#held.length === 0) setTimeout(() => this.#answerHeld(), TOGETHER_MS)
    this.#held.push(answer)
  }

  #answerHeld(): void {
    const held = this.#held
    this.#held = []
    for (const answer of held) answer()
  }

  /** Usually none; then no request is examined here. */
  #mayRefuse(): boolean {
    const { rateLimit, orderRate } = this.#needs
    const isNearlyReached = this.#concurrency.some((limit) => limit.isNearlyReached)
    return rateLimit.isAnyUsedUp || orderRate.isAnyUsedUp || isNearlyReached
  }

  #refusalOf(
    principal: Exclude<Principal, { kind: 'service' }>,
    { concurrency, orderRate }: Limits,
  ): Refusal | null {
    const applicationId = applicationOf(principal)
    if (concurrency?.isAvailable(applicationId) === false) return { problem: overloaded() }
    const { rateLimit } = this.#needs
    const usedUp = rateLimit.usedUp(principal.accessKeyId)
    if (usedUp) return tooMany('default', rateLimit.policy, usedUp)
    const orders = applicationId === undefined ? null : orderRate?.usedUp(applicationId)
    return orderRate && orders ? tooMany('orders', orderRate.policy, orders) : null
  }

  #count(accessKeyId: string, code: string): void {
    const name = `${accessKeyId} ${code}`
    const counted = this.#refused.get(name)
    if (counted) counted.count += 1
    else this.#refused.set(name, { accessKeyId, code, count: 1 })
  }
}

const tooMany = (...limit: Parameters<typeof rateLimited>): Refusal => ({
  problem: rateLimited(...limit),
  headers: rateLimitHeaders(...limit),
})
