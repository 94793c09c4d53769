import { setTimeout as wait } from 'node:timers/promises'
import type { App } from '@platter/kit'
import { Webhook } from 'standardwebhooks'
import { z } from 'zod'
import { behaviours, SIMULATORS_SECRET, type Behaviour } from './link.ts'
import type { Progress } from './progress.ts'
import type { Outcome, Receipts } from './receipts.ts'

/** 100 items with their choices and comments are some 200 KB. */
const MAX_BYTES = 1024 * 1024

const Path = z.object({ behaviour: z.enum(behaviours) })
const Delivery = z.object({
  type: z.enum(['order.placed', 'order.cancelled']),
  data: z.object({ apiKey: z.string(), restaurantApiKey: z.string() }),
})
type Delivery = z.infer<typeof Delivery> & { webhookId: string }

type Needs = { receipts: Receipts; progress: Progress; slowMs: number }

/** A webhook for each behaviour, as a restaurant's own system has one: signed by Standard Webhooks, idempotent. */
export function addRoutes(app: App, needs: Needs): void {
  app.post('/:behaviour', { bodyLimit: MAX_BYTES }, async (request, reply) => {
    const path = Path.safeParse(request.params)
    if (!path.success) return reply.code(404).send({ reason: 'There is no such restaurant.' })
    const delivery = verified(request.body as Buffer, request.headers as Record<string, string>)
    if (delivery === null) return reply.code(401).send({ reason: 'The signature does not fit.' })
    if (delivery.type === 'order.cancelled') {
      needs.progress.end(delivery.data.apiKey)
      return reply.code(204).send()
    }
    const outcome = await receive(path.data.behaviour, delivery, needs)
    if (outcome === 'accepted') return reply.code(204).send()
    if (outcome === 'refused')
      return reply.code(409).send({ reason: 'The kitchen cannot take any more orders.' })
    reply.hijack()
    // `silent` keeps the connection open until the caller closes it.
    if (outcome === 'reset') request.raw.socket.resetAndDestroy()
    return reply
  })
}

/** Null when the delivery was not signed with our secret, or not by the rules. */
function verified(body: Buffer, headers: Record<string, string>): Delivery | null {
  try {
    const delivery = Delivery.parse(new Webhook(SIMULATORS_SECRET).verify(body.toString(), headers))
    return { ...delivery, webhookId: headers['webhook-id'] ?? '' }
  } catch {
    return null
  }
}

async function receive(
  behaviour: Behaviour,
  delivery: Delivery,
  { receipts, progress, slowMs }: Needs,
): Promise<Outcome | 'reset' | 'silence'> {
  if (behaviour === 'unreachable') return 'reset'
  if (behaviour === 'silent') return 'silence'
  const { apiKey: orderApiKey, restaurantApiKey } = delivery.data
  if (behaviour === 'slow' && receipts.outcomeOf(orderApiKey) === undefined) await wait(slowMs)
  const outcome = await receipts.record({
    orderApiKey,
    restaurantApiKey,
    webhookId: delivery.webhookId,
    outcome: behaviour === 'refuses' ? 'refused' : 'accepted',
  })
  if (outcome === 'accepted') progress.follow({ orderApiKey, restaurantApiKey })
  return outcome
}
