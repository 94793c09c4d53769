import type { FoundRefund } from '#/domain/refund.ts'
import type { ProcessorResult } from '#/domain/processor-result.ts'
import { findRefund, type RefundPart } from '#/outside/processor.ts'
import type { StripeClient } from '#/outside/stripe-client.ts'
import { readCharge } from '#/outside/stripe-reads.ts'
import { Failed, failedOf, Refund, REFUND, refundStateOf } from '#/outside/stripe-responses.ts'

/**
 * Refunds a part of a charge. The refund's apiKey is in its metadata, so that a look-up finds it after the idempotency key has
 * expired.
 */
export async function refundPart(
  client: StripeClient,
  part: RefundPart,
): Promise<ProcessorResult<FoundRefund>> {
  const { id: intent, amount, idempotencyKey } = part
  const created = await client
    .send(Refund, (stripe) =>
      stripe.refunds.create(
        { payment_intent: intent, amount, metadata: { [REFUND]: idempotencyKey } },
        { idempotencyKey },
      ),
    )
    .catch(failedOf)
  if (!(created instanceof Failed))
    return { kind: 'yes', found: { id: created.id, state: refundStateOf(created.status) } }
  if (!created.isToBeLookedUp) return created.result
  const listed = await findRefund({ charge: (id) => readCharge(client, id) }, part)
  // The refund may still appear later.
  return listed.kind === 'yes' && !listed.found ? created.result : listed
}
