import { epochSeconds } from '@platter/contracts'
import { Webhook } from 'standardwebhooks'
import { request, type Dispatcher } from 'undici'

/* Requests that Standard Webhooks specifies, to restaurants and to receivers of alerts. */

/** `secret`: absent for a message without a signature. */
export type WebhookMessage = {
  id: string
  at: Date
  body: string
  secret: string | undefined
  withinMs: number
  headers?: Record<string, string>
}

/** Posts a JSON message. Redirects are not followed. The caller reads or discards the body of the response. */
export function postWebhook(
  url: string,
  dispatcher: Dispatcher,
  { id, at, body, secret, withinMs, headers }: WebhookMessage,
): Promise<Dispatcher.ResponseData> {
  const signature = secret === undefined ? null : new Webhook(secret).sign(id, at, body)
  return request(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      // Firewalls of web servers reject requests without it (Cloudflare's Browser Integrity Check: 403).
      'user-agent': 'Platter',
      'webhook-id': id,
      'webhook-timestamp': String(epochSeconds(at.getTime())),
      ...(signature !== null && { 'webhook-signature': signature }),
      ...headers,
    },
    body,
    dispatcher,
    headersTimeout: withinMs,
    bodyTimeout: withinMs,
    signal: AbortSignal.timeout(withinMs),
  })
}

/** The time limit for the body, after the status. */
export const BODY_WITHIN_MS = 1_000
/** Sufficient for a reason, and for a body that is read to keep its connection. */
export const MAX_BODY_BYTES = 16 * 1024

export const isSuccess = ({ statusCode }: Dispatcher.ResponseData): boolean =>
  statusCode >= 200 && statusCode < 300

/** Reads the body in the background, so that a slow body does not delay the caller. */
export function discardBody({ body }: Dispatcher.ResponseData): void {
  body
    .dump({ limit: MAX_BODY_BYTES, signal: AbortSignal.timeout(BODY_WITHIN_MS) })
    .catch(() => 'a failure closes the connection; the result is already known')
}
