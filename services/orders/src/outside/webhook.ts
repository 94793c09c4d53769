import { maskCardNumbers, type RestaurantLink } from '@platter/contracts'
import { clientEdge, inSpan, wasNotSent } from '@platter/kit'
import { Webhook } from 'standardwebhooks'
import { request } from 'undici'
import { z } from 'zod'
import { orderRecord } from '#/domain/order.ts'
import { ANSWER_WITHIN_MS, type Receipt, type Transmission } from '#/outside/restaurant-link.ts'

type WebhookLink = Extract<RestaurantLink, { kind: 'webhook' }>

/** In words of its own, which may quote what was typed elsewhere. */
const Refused = z.object({ reason: z.string().max(500).overwrite(maskCardNumbers) })
/** More than a reason is not read. */
const MAX_ANSWER_BYTES = 16 * 1024

/** Sends the order to the restaurant's own address. */
export async function transmitByWebhook(link: WebhookLink, sent: Transmission): Promise<Receipt> {
  try {
    const answer = await post(link, 'order.placed', sent, ANSWER_WITHIN_MS)
    if (answer.statusCode === 409) return { kind: 'refused', reason: await reasonOf(answer.body) }
    await answer.body.dump({ limit: MAX_ANSWER_BYTES })
    if (answer.statusCode >= 200 && answer.statusCode < 300) return { kind: 'accepted' }
    return { kind: 'unknown', reason: `answered ${answer.statusCode}` }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { kind: wasNotSent(error) ? 'not-reached' : 'unknown', reason }
  }
}

/** A restaurant that is told of a cancellation waits for nobody; neither does a service that is to stop. */
const TOLD_WITHIN_MS = 5_000
/** It does not have the order, or had it and has thrown it away. */
const KNOWS_OF_NONE = [404, 410]

/** Tells the restaurant that an order is off. False when it has not confirmed that it knows. */
export async function cancelByWebhook(link: WebhookLink, sent: Transmission): Promise<boolean> {
  try {
    const { statusCode, body } = await post(link, 'order.cancelled', sent, TOLD_WITHIN_MS)
    await body.dump({ limit: MAX_ANSWER_BYTES })
    return (statusCode >= 200 && statusCode < 300) || KNOWS_OF_NONE.includes(statusCode)
  } catch {
    // Whatever it was: the row says it again.
    return false
  }
}

/** Signed by the Standard Webhooks specification. */
function post(link: WebhookLink, type: string, { webhookId, order }: Transmission, withinMs: number) {
  const at = new Date()
  const body = JSON.stringify({ type, timestamp: at.toISOString(), data: orderRecord(order) })
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

async function reasonOf(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > MAX_ANSWER_BYTES) break
    chunks.push(chunk)
  }
  try {
    return Refused.parse(JSON.parse(Buffer.concat(chunks).toString())).reason
  } catch {
    // A 409 refuses whatever its body says.
    return 'The restaurant gave no reason.'
  }
}
