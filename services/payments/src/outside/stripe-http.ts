import { wasNotSent } from '@platter/kit'
import type { Stripe } from 'stripe'
import { Agent, request } from 'undici'
import { CONNECT_WITHIN_MS, CONNECTIONS, nameOf, RESPONSE_BYTES } from '#/outside/processor.ts'

type RequestArguments = Parameters<Stripe.HttpClient['makeRequest']>

/**
 * A request without a response. The SDK returns it as the `detail` of its StripeConnectionError. It deliberately has no `code`: for
 * ECONNRESET and EPIPE the SDK repeats the request despite its maxNetworkRetries, which would double the duration of a call.
 */
export class NoResponse extends Error {
  readonly reason: string
  readonly sent: boolean
  constructor(cause: unknown) {
    super('Stripe did not respond')
    this.reason = nameOf(cause)
    this.sent = !wasNotSent(cause)
  }
}

/**
 * The HTTP client of the SDK. The SDK's own client limits only the silence between two bytes. This client limits the duration and
 * the size of the whole call, and does not follow redirects.
 */
export class BoundedHttp implements Stripe.HttpClient {
  readonly #agent = new Agent({
    connections: CONNECTIONS,
    connect: { timeout: CONNECT_WITHIN_MS },
    maxResponseSize: RESPONSE_BYTES,
  })

  getClientName(): string {
    return 'undici'
  }

  async makeRequest(...[host, port, path, method, headers, body, protocol, timeoutMs]: RequestArguments) {
    try {
      const response = await request(`${protocol}://${host}:${port}${path}`, {
        method,
        headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
        body: method === 'GET' ? null : body,
        dispatcher: this.#agent,
        signal: AbortSignal.timeout(timeoutMs),
      })
      return new WholeResponse(response.statusCode, response.headers, await response.body.text())
    } catch (error) {
      throw new NoResponse(error)
    }
  }

  close(): Promise<void> {
    return this.#agent.destroy()
  }
}

class WholeResponse implements Stripe.HttpClientResponse {
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
  /** The SDK exposes the result as `lastResponse`. */
  getRawResponse() {
    return this.#raw
  }
  toStream(): never {
    throw new Error('responses of Stripe are not streamed')
  }
  async toJSON(): Promise<unknown> {
    return JSON.parse(this.#text)
  }
}
