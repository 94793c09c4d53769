import { z } from 'zod'

/** The next statuses of an order, the usual one first; none for a completed order. */
const Order = z.object({ apiKey: z.string(), nextStatuses: z.array(z.string()) })
export type Order = z.infer<typeof Order>

const Issued = z.object({ accessKey: z.string() })
const WITHIN_MS = 10_000
/** The maximum number of orders on a page. */
const PAGE = 200

type Request = { method: 'GET' | 'POST'; path: string; body?: object }
type Response = { status: number; document: unknown; nextPage: string | null }

/** A client of the gateway's interface for restaurants, with an access key for each restaurant. */
export class RestaurantApi {
  readonly #gateway: string
  readonly #operatorKey: string
  /** In memory only: each start issues new access keys, so no file contains one. */
  readonly #accessKeys = new Map<string, Promise<string>>()

  constructor({ gateway, operatorKey }: { gateway: string; operatorKey: string }) {
    this.#gateway = gateway
    this.#operatorKey = operatorKey
  }

  /** Returns an order; null while the restaurant does not have it. */
  async order(restaurantApiKey: string, orderApiKey: string): Promise<Order | null> {
    const path = `/restaurantapi/v1/order/${orderApiKey}`
    const { status, document } = await this.#as(restaurantApiKey, { method: 'GET', path })
    if (status === 404) return null
    return Order.parse(expect200(path, { status, document }))
  }

  /** Reports a status. Returns null if the order can no longer have it. */
  async report(restaurantApiKey: string, orderApiKey: string, to: string): Promise<Order | null> {
    const path = `/restaurantapi/v1/order/${orderApiKey}/status`
    const response = await this.#as(restaurantApiKey, { method: 'POST', path, body: { status: to } })
    if (response.status === 409) return null
    return Order.parse(expect200(path, response))
  }

  /** Returns all orders of the restaurant that are neither handed over nor cancelled. */
  async openOrders(restaurantApiKey: string): Promise<Order[]> {
    const orders: Order[] = []
    let path: string | null = `/restaurantapi/v1/orders?open=true&limit=${PAGE}`
    while (path !== null) {
      const response: Response = await this.#as(restaurantApiKey, { method: 'GET', path })
      orders.push(...z.array(Order).parse(expect200(path, response)))
      path = response.nextPage
    }
    return orders
  }

  async #as(restaurantApiKey: string, request: Request): Promise<Response> {
    const response = await this.#send(await this.#accessKeyOf(restaurantApiKey), request)
    // The key was revoked; the next call issues a new one.
    if (response.status === 401) this.#accessKeys.delete(restaurantApiKey)
    return response
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
    const response = await this.#send(this.#operatorKey, { method: 'POST', path, body: { mode: 'live' } })
    return Issued.parse(expect200(path, response)).accessKey
  }

  async #send(accessKey: string, { method, path, body }: Request): Promise<Response> {
    const response = await fetch(new URL(path, this.#gateway), {
      method,
      headers: { 'x-access-token': accessKey, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(WITHIN_MS),
      ...(body && { body: JSON.stringify(body) }),
    })
    const [, nextPage = null] = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '') ?? []
    return { status: response.status, document: await response.json(), nextPage }
  }
}

function expect200(path: string, { status, document }: Pick<Response, 'status' | 'document'>): unknown {
  if (status !== 200) throw new Error(`${path} returned ${status}`)
  return document
}
