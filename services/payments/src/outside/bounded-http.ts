import { addressesOfThirdParty, connectingBy, HTTP_1_ONLY } from '@platter/kit'
import { Agent, request } from 'undici'
import { CONNECT_WITHIN_MS, CONNECTIONS, RESPONSE_BYTES } from '#/outside/processor.ts'

type Request = {
  method: string
  headers: Record<string, string>
  body: string | null
  /** Limits the whole call. */
  signal: AbortSignal | null
}

/**
 * A request without a complete response. It deliberately has no `code`: for ECONNRESET and EPIPE Stripe's SDK repeats the request
 * despite its maxNetworkRetries, which would double the duration of a call.
 */
export class NoResponse extends Error {}

/** An HTTP client that limits the size of a response, and does not follow redirects. */
export class BoundedHttp {
  readonly #agent: Agent

  constructor(addressesOf = addressesOfThirdParty) {
    this.#agent = new Agent({
      ...HTTP_1_ONLY,
      connections: CONNECTIONS,
      connect: { timeout: CONNECT_WITHIN_MS, lookup: connectingBy(addressesOf) },
      maxResponseSize: RESPONSE_BYTES,
    })
  }

  /** Throws NoResponse, whose message is the reason, if no complete response arrives in time. */
  async send(url: string, sent: Request) {
    try {
      const { statusCode, headers, body } = await request(url, { ...sent, dispatcher: this.#agent })
      return { statusCode, headers, text: await body.text() }
    } catch (error) {
      throw new NoResponse(sent.signal?.aborted ? 'TimeoutError' : nameOf(error))
    }
  }

  close(): Promise<void> {
    return this.#agent.destroy()
  }
}

/** Returns the code or name of an error. Its message could quote the request. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
