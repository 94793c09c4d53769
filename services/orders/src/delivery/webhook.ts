import { maskCardNumbers, RestaurantOrder, sanitizeText, type RestaurantLink } from '@platter/contracts'
import { clientEdge, inSpan, jsonRenderer, wasNotSent } from '@platter/kit'
import { Webhook } from 'standardwebhooks'
import { request, type Dispatcher } from 'undici'
import { z } from 'zod'
import { restaurantOrderRecord } from '#/domain/restaurant-order.ts'
import { OutOfBounds } from '#/outside/outgoing.ts'
import { ANSWER_WITHIN_MS, type Receipt, type Transmission } from '#/outside/restaurant-link.ts'

type WebhookLink = Extract<RestaurantLink, { kind: 'webhook' }>
/** Through which connections, and whereto. */
type Way = { dispatcher: Dispatcher; link: WebhookLink }

/** UTF-16 code units. */
const MAX_REASON = 500
const readable = (text: string) => sanitizeText(text, MAX_REASON)
/** In words of its own, which may quote what was typed elsewhere. */
const Refused = z.object({
  reason: z.string().max(MAX_REASON).overwrite(readable).overwrite(maskCardNumbers),
})
/** More than a reason is not read. */
const MAX_ANSWER_BYTES = 16 * 1024
/** What comes after the status is waited for no longer than that. */
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
    // It may quote the certificate that the other side has shown.
    const reason = readable(error instanceof Error ? error.message : String(error))
    const isOut = error instanceof OutOfBounds || wasNotSent(error)
    return { kind: isOut ? 'not-reached' : 'unknown', reason }
  }
}

/** Shorter than for an order: no client waits for it, and a service that stops does. */
const NOTICE_WITHIN_MS = 5_000
/** It does not have the order, or had it and has thrown it away. */
const KNOWS_OF_NONE = [404, 410]

/** Notifies the restaurant of a cancellation. False when it has not confirmed that it knows. */
export async function cancelByWebhook(way: Way, sent: Transmission): Promise<boolean> {
  try {
    const answer = await post(way, 'order.cancelled', sent, NOTICE_WITHIN_MS)
    leave(answer)
    const { statusCode } = answer
    return (statusCode >= 200 && statusCode < 300) || KNOWS_OF_NONE.includes(statusCode)
  } catch {
    // Whatever it was: the notice is repeated from its row.
    return false
  }
}

/** The order has members beside those of its record, which restaurants may read by now. */
const renderEvent = jsonRenderer(
  'webhook',
  z.object({ type: z.string(), timestamp: z.string(), data: RestaurantOrder.loose() }),
)

/** Signed by the Standard Webhooks specification. The order is what a restaurant gets to see: no card is in it. */
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
  // What goes to a restaurant says nothing of our traces.
  return inSpan(
    () => clientEdge('POST', new URL(link.url), undefined),
    async (span) => {
      const answer = await ask()
      span?.setAttribute('http.response.status_code', answer.statusCode)
      return answer
    },
  )
}

/** A restaurant that answers and then drips keeps neither its order nor us: the answer was the status. */
function leave({ body }: Dispatcher.ResponseData): void {
  body
    .dump({ limit: MAX_ANSWER_BYTES, signal: AbortSignal.timeout(REST_WITHIN_MS) })
    .catch(() => 'the connection is given up with the rest')
}

const NO_REASON = 'The restaurant gave no reason.'

/** A 409 refuses whatever comes after it. */
async function reasonOf(body: Dispatcher.ResponseData['body']): Promise<string> {
  try {
    return Refused.parse(JSON.parse(await beginningOf(body))).reason || NO_REASON
  } catch {
    return NO_REASON
  }
}

/** Rejects for what is not whole by then. */
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
