import { Stripe } from 'stripe'
import type { z } from 'zod'
import { CALL_WITHIN_MS } from '#/outside/processor.ts'
import { continuedAt, failed, failedOf, listOf, nextOf, type Failed } from '#/outside/stripe-responses.ts'
import { StripeHttp } from '#/outside/stripe-http.ts'

/** The API version of the SDK's types. The constructor does not compile with an SDK of another version. */
const API_VERSION = '2026-10-28.endive'

export type Result<T> = { kind: 'yes'; value: T } | Failed

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
  readonly #http = new StripeHttp()

  constructor({ secretKey, url, callWithinMs = CALL_WITHIN_MS }: ClientSettings) {
    this.callWithinMs = callWithinMs
    const { protocol, hostname, port } = new URL(url)
    const isPlain = protocol === 'http:'
    this.#stripe = new Stripe(secretKey, {
      apiVersion: API_VERSION,
      host: hostname,
      port: port || (isPlain ? 80 : 443),
      protocol: isPlain ? 'http' : 'https',
      httpClient: this.#http,
      timeout: callWithinMs,
      maxNetworkRetries: 0,
      telemetry: false,
    })
  }

  /** Returns the validated response, or the classified failure. Never rejects. */
  async send<S extends z.ZodType>(
    schema: S,
    call: (stripe: Stripe) => Promise<Stripe.Response<object>>,
  ): Promise<Result<z.output<S>>> {
    try {
      const response = await call(this.#stripe)
      // The SDK accepts any document without `error` as a success, even one from an intermediary.
      const { statusCode, requestId } = response.lastResponse
      const parsed = statusCode >= 200 && statusCode < 300 ? schema.safeParse(response) : null
      if (parsed?.success) return { kind: 'yes', value: parsed.data }
      return failed({ kind: 'unknown', reason: `${statusCode} unreadable ${requestId}`, sent: true })
    } catch (error) {
      return failedOf(error)
    }
  }

  /** Returns the validated items of all pages of a list. `call` reads a page that begins after `position`. */
  async list<S extends z.ZodType<{ id: string }>>(
    item: S,
    call: (stripe: Stripe, position: { starting_after?: string }) => Promise<Stripe.Response<object>>,
  ): Promise<Result<z.output<S>[]>> {
    const all: z.output<S>[] = []
    let after: string | null = null
    do {
      const position = continuedAt(after)
      const page: Result<{ data: z.output<S>[]; has_more: boolean }> = await this.send(
        listOf(item),
        (stripe) => call(stripe, position),
      )
      if (page.kind === 'failed') return page
      all.push(...page.value.data)
      after = nextOf(page.value)
    } while (after !== null)
    return { kind: 'yes', value: all }
  }

  close(): Promise<void> {
    return this.#http.close()
  }
}
