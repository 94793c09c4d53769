import type { SendOrder } from '@platter/contracts'
import { inFlight, mismatch, Problem, Rendered, type Call, type Permit } from '@platter/kit'
import { claimMs, respondWithResult } from '#/placing/respond-with-result.ts'
import type { OrderNotifier } from '#/saga/order-notifier.ts'

/*
 * Repeated requests of send-order. A client that lost the response sends the request again with its Idempotency-Key, possibly while
 * the first one is still in progress.
 */

type Deps = Parameters<typeof respondWithResult>[0] & { notifier: Pick<OrderNotifier, 'pending'> }

/**
 * Returns the response to a request whose Idempotency-Key was used before: the stored one, or the result of the order that an earlier
 * request placed. Null for a new key, and for the key of a refused request, which the corrected request may use again.
 */
export async function replayOrResume(
  deps: Deps,
  call: Call<typeof SendOrder>,
  permit: Permit,
): Promise<Rendered | null> {
  if (!call.idempotency) return null
  const used = await deps.idempotencyKeys.reclaim(call.idempotency, claimMs(call.deadline))
  switch (used?.kind) {
    case undefined:
      return null
    case 'mismatch':
      throw mismatch()
    case 'in-flight':
      throw inFlight()
    case 'completed':
      call.setHeader('idempotent-replayed', 'true')
      return new Rendered(used.body, used.status)
    case 'resumed':
      return permit.suspend(() => resume(deps, used.orderApiKey, call))
  }
}

/** Responds for an order that an earlier request placed. It may already have a result. */
async function resume(deps: Deps, apiKey: string, call: Call<typeof SendOrder>): Promise<Rendered> {
  using pending = deps.notifier.pending.add(apiKey)
  pending.wake()
  return await respondWithResult(deps, { apiKey, placed: null, pending }, call)
}

/**
 * Throws the error, unless it is a refusal and a concurrent request with the same key has placed its order. A client that repeats a
 * request may have two in progress, and the restaurant may close between their checks: a 422 would deny an order that exists. A
 * concurrent request that has not placed its order yet can no longer do so.
 */
export async function rethrowUnlessPlaced(
  deps: Deps,
  call: Call<typeof SendOrder>,
  { permit, error }: { permit: Permit; error: unknown },
): Promise<Rendered> {
  const isRefusal = error instanceof Problem && error.status < 500
  if (!isRefusal || !call.idempotency || (await deps.idempotencyKeys.markRefused(call.idempotency)))
    throw error
  const repeated = await replayOrResume(deps, call, permit)
  if (!repeated) throw error
  return repeated
}
