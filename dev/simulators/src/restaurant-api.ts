import { z } from 'zod'

/** A restaurant's side of an order: where it may move next, the usual status first; none when it is over. */
const Order = z.object({ apiKey: z.string(), nextStatuses: z.array(z.string()) })
export type Order = z.infer<typeof Order>

const Issued = z.object({ accessKey: z.string() })
const WITHIN_MS = 10_000
/** The most that a page of orders has. */
const PAGE = 200

type Request = { method: 'GET' | 'POST'; path: string; body?: object }
type Response = { status: number; document: unknown; nextPage: string | null }

/** The restaurants' interface of the gateway, called with an access key of each restaurant. */
export class RestaurantApi {
  readonly #gateway: string
  readonly #operatorKey: string
  /** In memory only: a process that starts is issued new ones, so that no access key is written to a file. */
  readonly #accessKeys = new Map<string, Promise<string>>()

  constructor({ gateway, operatorKey }: { gateway: string; operatorKey: string }) {
    this.#gateway = gateway
    this.#operatorKey = operatorKey
  }

  /** Null while the restaurant has no such order. */
  async order(restaurantApiKey: string, orderApiKey: string): Promise<Order | null> {
    const path = `/restaurantapi/v1/order/${orderApiKey}`
    const { status, document } = await this.#as(restaurantApiKey, { method: 'GET', path })
    if (status === 404) return null
    return Order.parse(expect200(path, { status, document }))
  }

  /** Reports a status; null when the order cannot move there (any more). */
  async report(restaurantApiKey: string, orderApiKey: string, to: string): Promise<Order | null> {
    const path = `/restaurantapi/v1/order/${orderApiKey}/status`
    const answer = await this.#as(restaurantApiKey, { method: 'POST', path, body: { status: to } })
    if (answer.status === 409) return null
    return Order.parse(expect200(path, answer))
  }

  /** All orders of the restaurant that are neither handed over nor cancelled. */
  async openOrders(restaurantApiKey: string): Promise<Order[]> {
    const orders: Order[] = []
    let path: string | null = `/restaurantapi/v1/orders?open=true&limit=${PAGE}`
    while (path !== null) {
      const answer: Response = await this.#as(restaurantApiKey, { method: 'GET', path })
      orders.push(...z.array(Order).parse(expect200(path, answer)))
      path = answer.nextPage
    }
    return orders
  }

  async #as(restaurantApiKey: string, request: Request): Promise<Response> {
    const answer = await this.#send(await this.#accessKeyOf(restaurantApiKey), request)
    // Somebody has revoked the key: the next call is issued another one.
    if (answer.status === 401) this.#accessKeys.delete(restaurantApiKey)
    return answer
  }

  #accessKeyOf(restaurantApiKey: string): Promise<string> {
    const known = this.#accessKeys.get(restaurantApiKey)
    if (known) return known
    const issued = this.#issue(`/operatorapi/v1/restaurants/${restaurantApiKey}/access-keys`)
    this.#accessKeys.set(restaurantApiKey, issued)
    issued.catch(() => this.#accessKeys.delete(restaurantApiKey))
    return issued
  }

  async #issue(path: string): Promise<string> {
    const answer = await this.#send(this.#operatorKey, { method: 'POST', path, body: { mode: 'live' } })
    return Issued.parse(expect200(path, answer)).accessKey
  }

  async #send(accessKey: string, { method, path, body }: Request): Promise<Response> {
    const answer = await fetch(new URL(path, this.#gateway), {
      method,
      headers: { 'x-access-token': accessKey, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(WITHIN_MS),
      ...(body && { body: JSON.stringify(body) }),
    })
    const [, nextPage = null] = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '') ?? []
    return { status: answer.status, document: await answer.json(), nextPage }
  }
}

function expect200(path: string, { status, document }: Pick<Response, 'status' | 'document'>): unknown {
  if (status !== 200) throw new Error(`${path} answered ${status}`)
  return document
}
