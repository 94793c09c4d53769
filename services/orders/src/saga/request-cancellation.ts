import type { Cancellation } from '@platter/contracts'
import type { Orchestrator } from '#/saga/orchestrator.ts'
import type { Trigger } from '#/saga/domain/transition.ts'

/** An order in the form of its caller. */
type Shown = { apiKey: string; cancellation: Cancellation | null }
type Deps<O> = { orchestrator: Pick<Orchestrator, 'apply'>; read: () => Promise<O> }
type Requested = Omit<Extract<Trigger, { kind: 'cancelled' }>, 'kind'>

/**
 * Cancels an order with the values that `requested` returns for it, and reads it again. A repeated cancellation changes nothing. If a
 * cancellation and a status report are concurrent, one is saved and the other finds the changed order.
 */
export async function requestCancellation<O extends Shown>(
  { orchestrator, read }: Deps<O>,
  requested: (order: O) => Requested,
): Promise<{ order: O; isCancelled: boolean }> {
  const before = await read()
  if (before.cancellation) return { order: before, isCancelled: true }
  const applied = await orchestrator.apply(before.apiKey, { kind: 'cancelled', ...requested(before) })
  const order = await read()
  // An equal concurrent request may have cancelled the order in the meantime.
  return { order, isCancelled: applied !== null || order.cancellation !== null }
}
