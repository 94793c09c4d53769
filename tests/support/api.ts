import type { MenuCategory, Order, ProblemDocument, User } from '@platter/contracts'
import { person } from './fixtures.ts'

/** The address of a platform, and the keys for its tests. */
export type Target = { gateway: string; accessKey: string; operatorKey: string }

/** A response of the gateway, with its text and the parsed text. The test names the type of the expected record. */
export type ClientResponse<T> = { status: number; headers: Headers; text: string; body: T }

type Sent = {
  /** Default: POST with a body, otherwise GET. */
  method?: string
  /** Null sends no key. */
  key?: string | null
  /** A string or bytes are sent unchanged, any other value as JSON. */
  body?: unknown
  headers?: Record<string, string>
  timeoutMs?: number
}

/** Without `key`, the key of the application is sent. `gateway`: another replica. */
export type Options = Sent & { gateway?: string }

/** The body of send-order: an order or a problem, depending on the status of the response. */
type SendOrderBody = Order & { apiKey: string } & Omit<ProblemDocument, 'status'>

const PUBLIC = '/publicapi/v1'

/** Sends one request to any server, by default without a key. Rejects only without a response. */
export async function sendTo<T>(
  url: string,
  { method, key = null, body, headers, timeoutMs }: Sent = {},
): Promise<ClientResponse<T>> {
  const hasBody = body !== undefined
  const response = await fetch(url, {
    method: method ?? (hasBody ? 'POST' : 'GET'),
    headers: {
      ...(key !== null && { 'x-access-token': key }),
      ...(hasBody && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(hasBody && { body: encode(body) }),
    ...(timeoutMs !== undefined && { signal: AbortSignal.timeout(timeoutMs) }),
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: (text === '' ? undefined : JSON.parse(text)) as T,
  }
}

/** The client of all tests and test tools. It has methods for the three audiences of a platform. */
export class Api {
  readonly #target: () => Target
  readonly #menus = new Map<string, readonly PlainItem[]>()

  constructor(target: () => Target) {
    this.#target = target
  }

  /** Sends one request. Rejects only without a response. */
  call = <T>(path: string, options: Options = {}): Promise<ClientResponse<T>> => {
    const { gateway, accessKey } = this.#target()
    return sendTo<T>(`${options.gateway ?? gateway}${path}`, { key: accessKey, ...options })
  }

  get = <T>(path: string, options: Options = {}) => this.call<T>(`${PUBLIC}/${path}`, options)

  post = <T>(path: string, body: unknown, options: Options = {}) =>
    this.call<T>(`${PUBLIC}/${path}`, { ...options, body })

  sendOrder = (body: unknown, options: Options = {}) => this.post<SendOrderBody>('send-order', body, options)

  operator = <T>(method: string, path: string, body?: unknown, options: Options = {}) =>
    this.call<T>(`/operatorapi/v1/${path}`, { method, key: this.#target().operatorKey, body, ...options })

  // Set-up, which throws when the platform rejects it -----------------------------------------------------

  /** Creates a client application with an access key. */
  newApplication = async (name: string): Promise<{ id: string; accessKey: string }> => {
    const { id } = expectOk(await this.operator<{ id: string }>('POST', 'applications', { name }))
    return { id, accessKey: await this.#issueKey(`applications/${id}/access-keys`) }
  }

  /** Registers a user with a unique e-mail address. */
  register = async (options: Options = {}): Promise<User> =>
    expectOk(await this.post<User>('register-user', person(), options))

  /** Creates an access key of a restaurant. */
  restaurantKey = (restaurantApiKey: string): Promise<string> =>
    this.#issueKey(`restaurants/${restaurantApiKey}/access-keys`)

  /**
   * Sets the link of a restaurant to `console`, so that its orders change only by the reports of the test. A simulated restaurant
   * would report automatically, and accepts 16 webhooks at a time.
   */
  linkConsole = async (restaurantApiKey: string, reports: 'detailed' | 'coarse' = 'detailed') => {
    const link = { kind: 'console', reports }
    expectOk(await this.operator('PUT', `restaurants/${restaurantApiKey}/link`, link))
  }

  #issueKey = async (path: string): Promise<string> =>
    expectOk(await this.operator<{ accessKey: string }>('POST', path, {})).accessKey

  /**
   * Returns available items of a restaurant without required choices, the most expensive first. Two of them reach any delivery
   * minimum.
   */
  plainItems = async (restaurantApiKey: string): Promise<readonly PlainItem[]> => {
    const path = `restaurant/${restaurantApiKey}/menu?includeCustomizations=true`
    const items = plainItemsOf(expectOk(await this.get<MenuCategory[]>(path)))
    if (items.length === 0) throw new Error(`${restaurantApiKey} has no item that needs no choice`)
    return items
  }

  /** Returns the first of them, read once for each restaurant. Use it for the seed, whose menus no test changes. */
  plainItem = async (restaurantApiKey: string): Promise<string> => {
    const items = this.#menus.get(restaurantApiKey) ?? (await this.plainItems(restaurantApiKey))
    this.#menus.set(restaurantApiKey, items)
    return items[0]!.apiKey
  }
}

/** Returns a body as it is sent. */
export function encode(body: unknown): string | Uint8Array<ArrayBuffer> {
  if (typeof body === 'string') return body
  return Buffer.isBuffer(body) ? Uint8Array.from(body) : JSON.stringify(body)
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

/** Returns the body of a response with status 200, and throws for any other status. */
export function expectOk<T>({ status, body }: ClientResponse<T>): T {
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body
}
