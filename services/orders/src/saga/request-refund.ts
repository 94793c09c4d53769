import { epochSeconds, type Refund, type RefundRequest } from '@platter/contracts'
import { isSameRequest, mismatch, newApiKey, overloaded, Problem, type IdempotencyScope } from '@platter/kit'
import { apiKeyOf } from '#/api-key-of.ts'
import type { PlacedOrder } from '#/domain/order.ts'
import { refundParts, refundRecord, type OrderRefund } from '#/domain/refund.ts'
import type { Orchestrator } from '#/saga/orchestrator.ts'

/** Another refund of the same order may be saved between the read and the save. */
const MAX_ATTEMPTS = 5
const RETRY_AFTER_SECONDS = 2

type Requested = { request: RefundRequest; requestedBy: 'restaurant' | 'operator' }

/** Returns the refund as it would be. Throws Problem refund-too-large, not-charged-yet, invalid-field. */
export function previewRefund(
  order: PlacedOrder,
  { request, requestedBy }: Requested,
  apiKey = newApiKey(),
): OrderRefund {
  const parts = refundParts(order, request)
  if ('refusal' in parts) {
    const { code, detail, faults = [] } = parts.refusal
    const retry = code === 'not-charged-yet' && { retryAfterSeconds: RETRY_AFTER_SECONDS }
    throw new Problem(code, detail, { faults, ...retry })
  }
  const { reason, message, borneBy } = request
  const state = order.payment === 'cash' ? 'DONE' : 'PENDING'
  return {
    apiKey,
    ...parts,
    state,
    reason,
    ...(message !== undefined && { message }),
    requestedBy,
    borneBy,
    date: epochSeconds(),
  }
}

/**
 * Requests a refund. A request with an Idempotency-Key always creates the same refund. This holds even if a crash occurs between
 * the commits of the order and of the key, if replicas handle the request concurrently, and after the key was deleted. Throws
 * Problem idempotency-mismatch for the key of another request.
 */
export async function requestRefund(
  { orchestrator, read }: { orchestrator: Pick<Orchestrator, 'apply'>; read: () => Promise<PlacedOrder> },
  requested: Requested,
  idempotency: IdempotencyScope | null,
): Promise<Refund> {
  const apiKey = idempotency ? keyOfRequest(idempotency) : newApiKey()
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const order = await read()
    const known = order.refunds.find((one) => one.apiKey === apiKey)
    if (known) return refundRecord(ofSameRequest(known, idempotency))
    const refund = {
      ...previewRefund(order, requested, apiKey),
      ...(idempotency && { fingerprint: idempotency.fingerprint }),
    }
    const event = { kind: 'refund-requested', refund, count: order.refunds.length } as const
    if (await orchestrator.apply(order.apiKey, event)) return refundRecord(refund)
  }
  throw overloaded()
}

function ofSameRequest(refund: OrderRefund, idempotency: IdempotencyScope | null): OrderRefund {
  const { fingerprint } = refund
  if (idempotency && fingerprint !== undefined && !isSameRequest(fingerprint, idempotency)) throw mismatch()
  return refund
}

const keyOfRequest = ({ accessKeyId, path, key }: IdempotencyScope) => apiKeyOf(accessKeyId, path, key)
