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
        headers: textsOf(headers),
        body: method === 'GET' ? null : body,
        dispatcher: this.#agent,
        signal: AbortSignal.timeout(timeoutMs),
      })
      return wholeResponse(response.statusCode, response.headers, await response.body.text())
    } catch (error) {
      throw new NoResponse(error)
    }
  }

  close(): Promise<void> {
    return this.#agent.destroy()
  }
}

function wholeResponse(statusCode: number, received: object, text: string): Stripe.HttpClientResponse {
  const headers = textsOf(received)
  const raw = { statusCode, headers }
  return {
    getStatusCode: () => statusCode,
    getHeaders: () => headers,
    // The SDK exposes the result as `lastResponse`.
    getRawResponse: () => raw,
    toStream() {
      throw new Error('responses of Stripe are not streamed')
    },
    toJSON: async () => JSON.parse(text) as unknown,
  }
}

const textsOf = (headers: object): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
