import { Stripe } from 'stripe'
import { z } from 'zod'
import { BoundedHttp } from '#/outside/bounded-http.ts'
import { CALL_WITHIN_MS } from '#/outside/processor.ts'
import { Failed } from '#/outside/stripe-responses.ts'

/** The API version of the SDK's types. The constructor does not compile with an SDK of another version. */
const API_VERSION = '2026-10-28.endive'

type Page<T> = { items: T[]; after: string | null }
type PageCall = (stripe: Stripe, position: { starting_after?: string }) => Promise<Stripe.Response<object>>

export type ClientSettings = {
  secretKey: string
  /** Base URL. */
  url: string
  /** The time limit of a whole call in milliseconds. */
  callWithinMs?: number
}

/** Stripe's SDK without its retries, because the saga repeats a command under the same key. Each response is validated. */
export class StripeClient {
  readonly callWithinMs: number
  readonly #stripe: Stripe
  readonly #http = new BoundedHttp()

  constructor({ secretKey, url, callWithinMs = CALL_WITHIN_MS }: ClientSettings) {
    this.callWithinMs = callWithinMs
    const { protocol, hostname, port } = new URL(url)
    const isPlain = protocol === 'http:'
    this.#stripe = new Stripe(secretKey, {
      apiVersion: API_VERSION,
      host: hostname,
      port: port || (isPlain ? 80 : 443),
      protocol: isPlain ? 'http' : 'https',
      // The SDK aborts this `fetch` at the timeout. The timeout of its other client limits only the silence between two bytes.
      httpClient: Stripe.createFetchHttpClient(fetchBy(this.#http)),
      timeout: callWithinMs,
      maxNetworkRetries: 0,
      telemetry: false,
    })
  }

  /** Returns the validated response. Throws Failed, or an error of the SDK. */
  async send<S extends z.ZodType>(
    schema: S,
    call: (stripe: Stripe) => Promise<Stripe.Response<object>>,
  ): Promise<z.output<S>> {
    const response = await call(this.#stripe)
    // The SDK accepts any document without `error` as a success, even one from an intermediary.
    const { statusCode, requestId } = response.lastResponse
    const parsed = statusCode >= 200 && statusCode < 300 ? schema.safeParse(response) : null
    if (parsed?.success) return parsed.data
    throw new Failed({ kind: 'unknown', reason: `${statusCode} unreadable ${requestId}` })
  }

  /** Returns the validated items of a page, which `call` reads from after `position`, and the cursor of the next page. */
  async page<S extends z.ZodType<{ id: string }>>(
    item: S,
    after: string | null,
    call: PageCall,
  ): Promise<Page<z.output<S>>> {
    const position = after === null ? {} : { starting_after: after }
    const schema = z.object({ object: z.literal('list'), data: z.array(item), has_more: z.boolean() })
    const page = await this.send(schema, (stripe) => call(stripe, position))
    return { items: page.data, after: page.has_more ? (page.data.at(-1)?.id ?? null) : null }
  }

  /** Returns the validated items of all pages of a list. */
  async list<S extends z.ZodType<{ id: string }>>(item: S, call: PageCall): Promise<z.output<S>[]> {
    const all: z.output<S>[] = []
    let after: string | null = null
    do {
      const page: Page<z.output<S>> = await this.page(item, after, call)
      all.push(...page.items)
      after = page.after
    } while (after !== null)
    return all
  }

  close(): Promise<void> {
    return this.#http.close()
  }
}

/** The SDK returns a NoResponse as the `detail` of its StripeConnectionError. */
const fetchBy =
  (http: BoundedHttp) =>
  async (url: unknown, { method = 'GET', headers, body, signal = null }: RequestInit = {}) => {
    const { statusCode, text, ...received } = await http.send(url as string, {
      method,
      headers: Object.fromEntries(new Headers(headers)),
      body: typeof body === 'string' ? body : null,
      signal,
    })
    const pairs = Object.entries(received.headers)
    return new Response(text, {
      status: statusCode,
      headers: pairs.map(([name, value]) => [name, String(value)]),
    })
  }
