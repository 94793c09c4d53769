import type { RestaurantLink } from '@platter/contracts'
import { wasNotSent } from '@platter/kit'
import { Webhook } from 'standardwebhooks'
import { request } from 'undici'
import { z } from 'zod'
import { orderRecord } from '#/domain/order.ts'
import { ANSWER_WITHIN_MS, type Receipt, type Transmission } from '#/outside/restaurant-link.ts'

type WebhookLink = Extract<RestaurantLink, { kind: 'webhook' }>

const Refused = z.object({ reason: z.string().max(500) })
/** More than a reason is not read. */
const MAX_ANSWER_BYTES = 16 * 1024

/** Sends the order to the restaurant's own address, signed by the Standard Webhooks specification. */
export async function transmitByWebhook(
  link: WebhookLink,
  { webhookId, order }: Transmission,
): Promise<Receipt> {
  const at = new Date()
  const body = JSON.stringify({ type: 'order.placed', timestamp: at.toISOString(), data: orderRecord(order) })
  try {
    const answer = await request(link.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': webhookId,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
        'webhook-signature': new Webhook(link.secret).sign(webhookId, at, body),
      },
      body,
      headersTimeout: ANSWER_WITHIN_MS,
      bodyTimeout: ANSWER_WITHIN_MS,
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    })
    if (answer.statusCode === 409) return { kind: 'refused', reason: await reasonOf(answer.body) }
    await answer.body.dump({ limit: MAX_ANSWER_BYTES })
    if (answer.statusCode >= 200 && answer.statusCode < 300) return { kind: 'accepted' }
    return { kind: 'unknown', reason: `answered ${answer.statusCode}` }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { kind: wasNotSent(error) ? 'not-reached' : 'unknown', reason }
  }
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
