import type { ProcessorRefund } from '#/domain/refund.ts'
import type { ProcessorResult } from '#/domain/processor-result.ts'
import type { RefundPart } from '#/outside/processor.ts'
import type { StripeClient } from '#/outside/stripe-client.ts'
import { Refund, REFUND, refundOf } from '#/outside/stripe-responses.ts'

type Found = ProcessorResult<{ found: ProcessorRefund | null }>

/**
 * Refunds a part of a charge. The refund's apiKey is in its metadata, so that a look-up finds it after the idempotency key has
 * expired.
 */
export async function refundPart(
  client: StripeClient,
  { id, amount, idempotencyKey }: RefundPart,
): Promise<Found> {
  const created = await client.send(Refund, (stripe) =>
    stripe.refunds.create(
      { payment_intent: id, amount, metadata: { [REFUND]: idempotencyKey } },
      { idempotencyKey },
    ),
  )
  if (created.kind === 'yes') return { kind: 'yes', found: refundOf(created.value) }
  if (!created.isToBeLookedUp) return created.result
  const listed = await findRefund(client, { id, refund: idempotencyKey })
  // The refund may still appear later.
  return listed.kind === 'yes' && !listed.found ? created.result : listed
}

/** Looks up a refund. A hundred refunds are below RESPONSE_BYTES. */
export async function findRefund(
  client: StripeClient,
  { id, refund }: { id: string; refund: string },
): Promise<Found> {
  const list = await client.list(Refund, (stripe, position) =>
    stripe.refunds.list({ payment_intent: id, limit: 100, ...position }),
  )
  if (list.kind === 'failed') return list.result
  const one = list.value.find(({ metadata }) => metadata?.[REFUND] === refund)
  return { kind: 'yes', found: one ? refundOf(one) : null }
}
