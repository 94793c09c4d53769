import { maskCardNumbers, RestaurantOrder, sanitizeText, type RestaurantLink } from '@platter/contracts'
import { clientSpan, inSpan, jsonRenderer, wasNotSent } from '@platter/kit'
import { Webhook } from 'standardwebhooks'
import { request, type Dispatcher } from 'undici'
import { z } from 'zod'
import { restaurantOrderRecord } from '#/domain/restaurant-order.ts'
import { OutOfBounds } from '#/delivery/outside/outgoing.ts'
import { ANSWER_WITHIN_MS, type Receipt, type Transmission } from '#/delivery/outside/restaurant-link.ts'

type WebhookLink = Extract<RestaurantLink, { kind: 'webhook' }>
/** The connections, and the restaurant's address. */
type Way = { dispatcher: Dispatcher; link: WebhookLink }

/** UTF-16 code units. */
const MAX_REASON = 500
const readable = (text: string) => sanitizeText(text, MAX_REASON)
/** The restaurant's own text: it may quote anything. */
const Refused = z.object({
  reason: z.string().max(MAX_REASON).overwrite(readable).overwrite(maskCardNumbers),
})
/** More than a reason is not read. */
const MAX_ANSWER_BYTES = 16 * 1024
/** Milliseconds that the body may take after the status. */
const REST_WITHIN_MS = 1_000

/** Sends the order to the restaurant's own address. Of the answer the status counts, and with 409 its reason; nothing else is kept. */
export async function transmitByWebhook(way: Way, sent: Transmission): Promise<Receipt> {
  try {
    const answer = await post(way, 'order.placed', sent, ANSWER_WITHIN_MS)
    if (answer.statusCode === 409) return { kind: 'refused', reason: await reasonOf(answer.body) }
    leave(answer)
    if (answer.statusCode >= 200 && answer.statusCode < 300) return { kind: 'accepted' }
    return { kind: 'unknown', reason: `answered ${answer.statusCode}` }
  } catch (error) {
    // The text may quote the restaurant's certificate.
    const reason = readable(error instanceof Error ? error.message : String(error))
    const isOut = error instanceof OutOfBounds || wasNotSent(error)
    return { kind: isOut ? 'not-reached' : 'unknown', reason }
  }
}

/** Shorter than for an order: no client waits for it, but a stopping service does. */
const NOTICE_WITHIN_MS = 5_000
/** The restaurant does not have the order, or has discarded it. */
const KNOWS_OF_NONE = [404, 410]

/** Notifies the restaurant of a cancellation. False when it has not confirmed that it knows. */
export async function cancelByWebhook(way: Way, sent: Transmission): Promise<boolean> {
  try {
    const answer = await post(way, 'order.cancelled', sent, NOTICE_WITHIN_MS)
    leave(answer)
    const { statusCode } = answer
    return (statusCode >= 200 && statusCode < 300) || KNOWS_OF_NONE.includes(statusCode)
  } catch {
    // After any error the notice is repeated from its row.
    return false
  }
}

/** The order has members beside those of its record, which restaurants may read by now. */
const renderEvent = jsonRenderer(
  'webhook',
  z.object({ type: z.string(), timestamp: z.string(), data: RestaurantOrder.loose() }),
)

/** Signed by the Standard Webhooks specification. The order is the restaurant's record of it, without a card. */
function post({ dispatcher, link }: Way, type: string, { webhookId, order }: Transmission, withinMs: number) {
  const at = new Date()
  const data = restaurantOrderRecord({ order, link, linkKind: link.kind }, null)
  const body = renderEvent({ type, timestamp: at.toISOString(), data })
  const ask = () =>
    request(link.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': webhookId,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
        'webhook-signature': new Webhook(link.secret).sign(webhookId, at, body),
      },
      body,
      dispatcher,
      headersTimeout: withinMs,
      bodyTimeout: withinMs,
      signal: AbortSignal.timeout(withinMs),
    })
  // Requests to restaurants carry no trace context.
  return inSpan(
    () => clientSpan('POST', new URL(link.url), undefined),
    async (span) => {
      const answer = await ask()
      span?.setAttribute('http.response.status_code', answer.statusCode)
      return answer
    },
  )
}

/** The status is the answer: a restaurant that sends its body slowly delays neither the order nor the attempt. */
function leave({ body }: Dispatcher.ResponseData): void {
  body
    .dump({ limit: MAX_ANSWER_BYTES, signal: AbortSignal.timeout(REST_WITHIN_MS) })
    .catch(() => 'the connection is given up with the rest')
}

const NO_REASON = 'The restaurant gave no reason.'

/** A 409 is a refusal, whatever its body. */
async function reasonOf(body: Dispatcher.ResponseData['body']): Promise<string> {
  try {
    return Refused.parse(JSON.parse(await beginningOf(body))).reason || NO_REASON
  } catch {
    return NO_REASON
  }
}

/** Rejects when the body is not complete by then. */
async function beginningOf(body: Dispatcher.ResponseData['body']): Promise<string> {
  const timer = setTimeout(() => body.destroy(new Error('too slow')), REST_WITHIN_MS)
  try {
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > MAX_ANSWER_BYTES) break
      chunks.push(chunk)
    }
    return Buffer.concat(chunks).toString()
  } finally {
    clearTimeout(timer)
  }
}
