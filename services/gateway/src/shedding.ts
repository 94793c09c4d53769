import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Principal } from '@platter/contracts'
import {
  overloaded,
  refuse,
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

/** What the routes refuse by, and where it is told. */
type Needs = Pick<NeedsOfRoutes, 'operations' | 'concurrency' | 'accessKeys' | 'rateLimit' | 'orderRate'> & {
  log: Log
}

/**
 * Rejections are gathered for this time: at 4,000 a second, one write each took the gateway 55 % of a core instead of 44
 * (docs/decisions/0031-admission-control.md).
 */
const TOGETHER_MS = 5

/** Of each route: its path's template, and what limits what it is asked, where it is new work. */
type Route = { path: string; limits: Limits }

type Refusal = { problem: Problem; headers?: Record<string, string> }

/**
 * Refuses, before Fastify sees it, what it would refuse anyway: new work that there is no room for, and what an access
 * key asks that has used up its limit. Such requests come in thousands a second, and what refusing them costs is
 * taken from those that are served. Whatever is not certain goes the whole way, where the same is asked again.
 */
export class Shedding {
  readonly #needs: Needs
  readonly #concurrency: readonly ConcurrencyLimit[]
  readonly #routes = findMyWay(ROUTING)
  /** Refused since it was last told, by access key and code. */
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

  /** Leaves all to Fastify from now on, which tells callers that the gateway stops. */
  end(): void {
    this.#isOver = true
    this.tell()
  }

  /** Logs what was refused since the last time: a line for each access key, not for each request. There is no more then. */
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
    this.#hold(() => refuse(problem, { request, response, route: path, headers: more }))
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

  /** On most days nobody, and then nothing of a request is looked at twice. */
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
