import type { MenuCategory, Order } from '@platter/contracts'
import type { ProblemDocument } from '@platter/contracts'

/** Where a platform listens, and the keys that a test uses there. */
export type Target = { gateway: string; accessKey: string; operatorKey: string }

/** A response of the gateway; a test names the record that it expects. */
export type Answer<T> = { status: number; headers: Headers; body: T }

export type Options = {
  method?: string
  /** The application's key when absent; null sends none. */
  key?: string | null
  /** A string is sent as it is, anything else as JSON. */
  body?: unknown
  headers?: Record<string, string>
  /** Another replica of the gateway. */
  gateway?: string
  timeoutMs?: number
}

/** The body of send-order: an order, or a problem. The status of the response decides which one. */
type Sent = Order & { apiKey: string } & Omit<ProblemDocument, 'status'>

const PUBLIC = '/publicapi/v1'

/** The client of all tests and test tools: the three audiences of one platform. */
export class Api {
  readonly #target: () => Target
  readonly #menus = new Map<string, readonly PlainItem[]>()

  constructor(target: () => Target) {
    this.#target = target
  }

  /** Sends one request; rejects only when there is no response. */
  call = async <T>(path: string, options: Options = {}): Promise<Answer<T>> => {
    const target = this.#target()
    const { key = target.accessKey, gateway = target.gateway, body, timeoutMs } = options
    const content = {
      headers: { 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }
    const sent: Partial<typeof content> = body === undefined ? {} : content
    const response = await fetch(`${gateway}${path}`, {
      ...sent,
      method: options.method ?? (body === undefined ? 'GET' : 'POST'),
      headers: { ...(key !== null && { 'x-access-token': key }), ...sent.headers, ...options.headers },
      ...(timeoutMs !== undefined && { signal: AbortSignal.timeout(timeoutMs) }),
    })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      body: (text === '' ? undefined : JSON.parse(text)) as T,
    }
  }

  get = <T>(path: string, options: Options = {}) => this.call<T>(`${PUBLIC}/${path}`, options)

  post = <T>(path: string, body: unknown, options: Options = {}) =>
    this.call<T>(`${PUBLIC}/${path}`, { ...options, body })

  sendOrder = (body: unknown, options: Options = {}) => this.post<Sent>('send-order', body, options)

  operator = <T>(method: string, path: string, body?: unknown) =>
    this.call<T>(`/operatorapi/v1/${path}`, { method, key: this.#target().operatorKey, body })

  // Set-up, which throws when the platform rejects it -----------------------------------------------------

  /** A new client application with an access key. */
  newApplication = async (name: string): Promise<{ id: string; accessKey: string }> => {
    const { id } = expectOk(await this.operator<{ id: string }>('POST', 'applications', { name }))
    return { id, accessKey: await this.#issueKey(`applications/${id}/access-keys`) }
  }

  /** A new access key of a restaurant. */
  restaurantKey = (restaurantApiKey: string): Promise<string> =>
    this.#issueKey(`restaurants/${restaurantApiKey}/access-keys`)

  /**
   * Gives a restaurant the link `console`: its orders move only when it reports. A simulated restaurant would report
   * unasked, and takes 16 webhooks at a time.
   */
  linkConsole = async (restaurantApiKey: string, reports: 'detailed' | 'coarse' = 'detailed') => {
    const link = { kind: 'console', reports }
    expectOk(await this.operator('PUT', `restaurants/${restaurantApiKey}/link`, link))
  }

  #issueKey = async (path: string): Promise<string> =>
    expectOk(await this.operator<{ accessKey: string }>('POST', path, {})).accessKey

  /** Available items of a restaurant that need no choice, most expensive first: two meet any delivery minimum. */
  plainItems = async (restaurantApiKey: string): Promise<readonly PlainItem[]> => {
    const path = `restaurant/${restaurantApiKey}/menu?includeCustomizations=true`
    const items = plainItemsOf(expectOk(await this.get<MenuCategory[]>(path)))
    if (items.length === 0) throw new Error(`${restaurantApiKey} has no item that needs no choice`)
    return items
  }

  /** The first of them, read once per restaurant: for the seed, whose menus no test changes. */
  plainItem = async (restaurantApiKey: string): Promise<string> => {
    const items = this.#menus.get(restaurantApiKey) ?? (await this.plainItems(restaurantApiKey))
    this.#menus.set(restaurantApiKey, items)
    return items[0]!.apiKey
  }
}

type PlainItem = { apiKey: string; basePrice: number }

const plainItemsOf = (menu: readonly MenuCategory[]): PlainItem[] =>
  menu
    .flatMap(({ items }) => items)
    .filter(
      ({ available, customizationGroups = [] }) =>
        available && customizationGroups.every(({ minCount }) => minCount === 0),
    )
    .toSorted((one, other) => other.basePrice - one.basePrice)

/** The body of a response with status 200; throws for any other. */
export function expectOk<T>({ status, body }: Answer<T>): T {
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body
}
