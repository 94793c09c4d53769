import { Stripe } from 'stripe'
import type { z } from 'zod'
import { failed, failedOf, type Failed } from '#/outside/stripe-answers.ts'
import { BoundedHttp } from '#/outside/stripe-http.ts'

/** The version that the types of the SDK are of. With another SDK this does not compile, so that it never changes unawares. */
const API_VERSION = '2026-10-28.endive'

export type Result<T> = { kind: 'yes'; value: T } | Failed

export type ClientSettings = {
  secretKey: string
  /** Base URL. */
  url: string
  /** For a whole call. */
  answerWithinMs: number
}

/** Stripe's SDK, asked once a call (settle asks again, with the same key), each answer checked before it is believed. */
export class StripeClient {
  readonly #stripe: Stripe
  readonly #http = new BoundedHttp()

  constructor({ secretKey, url, answerWithinMs }: ClientSettings) {
    const { protocol, hostname, port } = new URL(url)
    const isPlain = protocol === 'http:'
    this.#stripe = new Stripe(secretKey, {
      apiVersion: API_VERSION,
      host: hostname,
      port: port || (isPlain ? 80 : 443),
      protocol: isPlain ? 'http' : 'https',
      httpClient: this.#http,
      timeout: answerWithinMs,
      maxNetworkRetries: 0,
      telemetry: false,
    })
  }

  /** Never rejects: what goes wrong is a `failed` that says what it means. */
  async ask<S extends z.ZodType>(
    schema: S,
    call: (stripe: Stripe) => Promise<Stripe.Response<object>>,
  ): Promise<Result<z.output<S>>> {
    try {
      const answer = await call(this.#stripe)
      // The SDK takes whatever has no `error` in it for a success, also a page of somebody in between.
      const { statusCode, requestId } = answer.lastResponse
      const parsed = statusCode >= 200 && statusCode < 300 ? schema.safeParse(answer) : null
      if (parsed?.success) return { kind: 'yes', value: parsed.data }
      return failed({ kind: 'unknown', reason: `${statusCode} unreadable ${requestId}`, sent: true })
    } catch (error) {
      return failedOf(error)
    }
  }

  close(): Promise<void> {
    return this.#http.close()
  }
}
