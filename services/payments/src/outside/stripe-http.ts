import { wasNotSent } from '@platter/kit'
import type { Stripe } from 'stripe'
import { Agent, request } from 'undici'
import { ANSWER_BYTES, CONNECT_WITHIN_MS, CONNECTIONS } from '#/outside/processor.ts'

type Made = Parameters<Stripe.HttpClient['makeRequest']>

/**
 * Why there is no answer; the SDK gives it back as the `detail` of its StripeConnectionError. Without a
 * `code` on purpose: for ECONNRESET and EPIPE the SDK asks a second time by itself, whatever its
 * maxNetworkRetries, which would double the time that a call may take.
 */
export class NoAnswer extends Error {
  readonly reason: string
  readonly sent: boolean
  constructor(cause: unknown) {
    super('Stripe gave no answer')
    this.reason = nameOf(cause)
    this.sent = !wasNotSent(cause)
  }
}

/** The code or name of an error; its message could quote what was sent. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}

/**
 * What the SDK speaks through. Its own client limits the silence between two bytes only; here the whole call
 * has its time and its size, and a redirect is an answer like any other: nothing is sent to where it points.
 */
export class BoundedHttp implements Stripe.HttpClient {
  readonly #agent = new Agent({
    connections: CONNECTIONS,
    connect: { timeout: CONNECT_WITHIN_MS },
    maxResponseSize: ANSWER_BYTES,
  })

  getClientName(): string {
    return 'undici'
  }

  async makeRequest(...[host, port, path, method, headers, body, protocol, timeoutMs]: Made) {
    try {
      const answer = await request(`${protocol}://${host}:${port}${path}`, {
        method,
        headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
        body: method === 'GET' ? null : body,
        dispatcher: this.#agent,
        signal: AbortSignal.timeout(timeoutMs),
      })
      return new WholeAnswer(answer.statusCode, answer.headers, await answer.body.text())
    } catch (error) {
      throw new NoAnswer(error)
    }
  }

  close(): Promise<void> {
    return this.#agent.destroy()
  }
}

class WholeAnswer implements Stripe.HttpClientResponse {
  readonly #text: string
  readonly #raw: { statusCode: number; headers: Record<string, string> }

  constructor(statusCode: number, headers: Record<string, string | string[] | undefined>, text: string) {
    const flat = Object.entries(headers).map(([name, value]) => [name, String(value)] as const)
    this.#raw = { statusCode, headers: Object.fromEntries(flat) }
    this.#text = text
  }
  getStatusCode(): number {
    return this.#raw.statusCode
  }
  getHeaders(): Record<string, string> {
    return this.#raw.headers
  }
  /** What the SDK shows as `lastResponse`. */
  getRawResponse() {
    return this.#raw
  }
  toStream(): never {
    throw new Error('answers of Stripe are read whole')
  }
  async toJSON(): Promise<unknown> {
    return JSON.parse(this.#text)
  }
}
