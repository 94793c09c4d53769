import { setTimeout as wait } from 'node:timers/promises'
import type { App } from '@platter/kit'
import { Webhook } from 'standardwebhooks'
import { z } from 'zod'
import { behaviours, SIMULATORS_SECRET, type Behaviour } from './link.ts'
import type { Progress } from './progress.ts'
import type { Outcome, Receipts } from './receipts.ts'

/** 100 items with their choices and comments have about 200 KB. */
const MAX_BYTES = 1024 * 1024

const Path = z.object({ behaviour: z.enum(behaviours) })
/** A platform pings a restaurant's system to check whether it runs. */
const Ping = z.object({ type: z.literal('ping') })
const Delivery = z.object({
  type: z.enum(['order.placed', 'order.cancelled']),
  data: z.object({ apiKey: z.string(), restaurantApiKey: z.string() }),
})
type Delivery = z.infer<typeof Delivery> & { webhookId: string }

type Deps = { receipts: Receipts; progress: Progress; slowMs: number }

/** Adds an idempotent webhook for each behaviour, with signatures of Standard Webhooks, like the system of a restaurant. */
export function addRoutes(app: App, deps: Deps): void {
  app.post('/:behaviour', { bodyLimit: MAX_BYTES }, async (request, reply) => {
    const path = Path.safeParse(request.params)
    if (!path.success) return reply.code(404).send({ reason: 'There is no restaurant with this behaviour.' })
    const delivery = verified(request.body as Buffer, request.headers as Record<string, string>)
    if (delivery === 'ping') return reply.code(204).send()
    if (delivery === null) return reply.code(401).send({ reason: 'The signature is invalid.' })
    if (delivery.type === 'order.cancelled') {
      deps.progress.end(delivery.data.apiKey)
      return reply.code(204).send()
    }
    const outcome = await receive(path.data.behaviour, delivery, deps)
    if (outcome === 'accepted') return reply.code(204).send()
    if (outcome === 'refused')
      return reply.code(409).send({ reason: 'The kitchen cannot take any more orders.' })
    reply.hijack()
    // `silent` keeps the connection open until the caller closes it.
    if (outcome === 'reset') request.raw.socket.resetAndDestroy()
    return reply
  })
}

/** Returns the delivery, or `ping`; null without a valid signature. */
function verified(body: Buffer, headers: Record<string, string>): Delivery | 'ping' | null {
  try {
    const message = new Webhook(SIMULATORS_SECRET).verify(body.toString(), headers)
    if (Ping.safeParse(message).success) return 'ping'
    const delivery = Delivery.parse(message)
    return { ...delivery, webhookId: headers['webhook-id'] ?? '' }
  } catch {
    return null
  }
}

async function receive(
  behaviour: Behaviour,
  delivery: Delivery,
  { receipts, progress, slowMs }: Deps,
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
