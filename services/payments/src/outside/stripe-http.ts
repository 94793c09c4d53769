import type { Stripe } from 'stripe'
import { BoundedHttp } from '#/outside/bounded-http.ts'

type RequestArguments = Parameters<Stripe.HttpClient['makeRequest']>

/**
 * The HTTP client of the SDK. The SDK's own client limits only the silence between two bytes. The SDK returns a NoResponse as the
 * `detail` of its StripeConnectionError.
 */
export class StripeHttp implements Stripe.HttpClient {
  readonly #http = new BoundedHttp()

  getClientName(): string {
    return 'undici'
  }

  async makeRequest(...[host, port, path, method, headers, body, protocol, withinMs]: RequestArguments) {
    const { statusCode, text, ...received } = await this.#http.send(`${protocol}://${host}:${port}${path}`, {
      method,
      headers: textsOf(headers),
      body: method === 'GET' ? null : body,
      withinMs,
    })
    return wholeResponse(statusCode, received.headers, text)
  }

  close(): Promise<void> {
    return this.#http.close()
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
