import { maskCardNumbers, RestaurantOrder, sanitizeText } from '@platter/contracts'
import { clientSpan, inSpan, jsonRenderer, reasonOf, wasNotSent } from '@platter/kit'
import type { Dispatcher } from 'undici'
import { z } from 'zod'
import type { WebhookLink } from '#/domain/order-state.ts'
import { restaurantOrderRecord } from '#/domain/restaurant-order.ts'
import { OutOfBounds } from '#/delivery/outside/outgoing.ts'
import {
  BODY_WITHIN_MS,
  discardBody,
  isSuccess,
  MAX_BODY_BYTES,
  postWebhook,
  type WebhookMessage,
} from '#/outside/standard-webhook.ts'
import { RESPOND_WITHIN_MS, type Receipt, type Transmission } from '#/delivery/outside/restaurant-link.ts'

type Target = { dispatcher: Dispatcher; link: WebhookLink }

/** UTF-16 code units. */
const MAX_REASON = 500
const readable = (text: string) => sanitizeText(text, MAX_REASON)
/** The text may quote the restaurant's certificate. */
const readableReason = (error: unknown) => readable(reasonOf(error))
/** The restaurant's own text, which may contain a card number. */
const Refusal = z.object({
  reason: z.string().max(MAX_REASON).overwrite(readable).overwrite(maskCardNumbers),
})

/** Sends the order to the restaurant's webhook. The status is the result; only the body of a 409 is read, for its reason. */
export async function transmitByWebhook(target: Target, sent: Transmission): Promise<Receipt> {
  try {
    const response = await postOrder(target, 'order.placed', sent, RESPOND_WITHIN_MS)
    if (response.statusCode === 409) return { kind: 'refused', reason: await readReason(response.body) }
    discardBody(response)
    if (isSuccess(response)) return { kind: 'accepted' }
    return { kind: 'unknown', reason: `status ${response.statusCode}` }
  } catch (error) {
    const isOut = error instanceof OutOfBounds || wasNotSent(error)
    return { kind: isOut ? 'not-reached' : 'unknown', reason: readableReason(error) }
  }
}

/** Shorter than for an order: no client waits for the notice, but a stopping service does. */
const NOTICE_WITHIN_MS = 5_000
/** With these statuses, the restaurant does not have the order, or has discarded it. */
const WITHOUT_ORDER = [404, 410]

/** Notifies the restaurant of a cancellation. Returns why it has not confirmed it; null if it has. */
export const cancelByWebhook = (target: Target, sent: Transmission): Promise<string | null> =>
  failureOf(() => postOrder(target, 'order.cancelled', sent, NOTICE_WITHIN_MS), WITHOUT_ORDER)

/** Returns why the restaurant's system does not respond to a signed ping with a 2xx; null if it does. */
export function pingWebhook(target: Target, webhookId: string): Promise<string | null> {
  const at = new Date()
  const body = JSON.stringify({ type: 'ping', timestamp: at.toISOString(), data: {} })
  return failureOf(() => post(target, { id: webhookId, at, body, withinMs: NOTICE_WITHIN_MS }))
}

async function failureOf(
  send: () => Promise<Dispatcher.ResponseData>,
  accepted: readonly number[] = [],
): Promise<string | null> {
  try {
    const response = await send()
    discardBody(response)
    const { statusCode } = response
    return isSuccess(response) || accepted.includes(statusCode) ? null : `status ${statusCode}`
  } catch (error) {
    return readableReason(error)
  }
}

/** `loose`: restaurants may read members of the order that the schema does not declare. */
const renderEvent = jsonRenderer(
  'webhook',
  z.object({ type: z.string(), timestamp: z.string(), data: RestaurantOrder.loose() }),
)

/** The data is the restaurant's record of the order, which contains no card. */
function postOrder(target: Target, type: string, { webhookId, order }: Transmission, withinMs: number) {
  const at = new Date()
  const data = restaurantOrderRecord(order)
  const body = renderEvent({ type, timestamp: at.toISOString(), data })
  return post(target, { id: webhookId, at, body, withinMs })
}

/** Requests to restaurants carry no trace context. */
const post = ({ dispatcher, link }: Target, message: Omit<WebhookMessage, 'secret'>) =>
  inSpan(
    () => clientSpan('POST', new URL(link.url), undefined),
    async (span) => {
      const response = await postWebhook(link.url, dispatcher, { ...message, secret: link.secret })
      span?.setAttribute('http.response.status_code', response.statusCode)
      return response
    },
  )

const NO_REASON = 'The restaurant gave no reason.'

/** Returns the reason of a 409. The 409 is a refusal with any body, also with one that is too slow or too large. */
async function readReason(body: Dispatcher.ResponseData['body']): Promise<string> {
  const timer = setTimeout(() => body.destroy(new Error('too slow')), BODY_WITHIN_MS)
  try {
    const text = await body.text()
    if (Buffer.byteLength(text) > MAX_BODY_BYTES) return NO_REASON
    return Refusal.parse(JSON.parse(text)).reason || NO_REASON
  } catch {
    return NO_REASON
  } finally {
    clearTimeout(timer)
  }
}
