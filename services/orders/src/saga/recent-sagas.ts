import { Cache } from '@platter/kit'
import type { SagaOrder } from '#/domain/order-state.ts'
import type { Saga } from '#/domain/saga-row.ts'

/** A reply that arrives after so many later saves costs a read. */
const MOST_KEPT = 2_000

/**
 * The sagas that this replica has saved last: a reply that comes back to it needs no read. One that another replica has
 * saved meanwhile does no harm, because a save applies to the version that it was based on.
 */
export class RecentSagas<Loaded extends { order: SagaOrder; saga: Saga }> {
  readonly #cache = new Cache<Loaded>({ maxEntries: MOST_KEPT })

  keep(loaded: Loaded): void {
    this.#cache.set(loaded.saga.orderApiKey, loaded)
  }

  /** The saga, once; null when it was not kept. */
  take(orderApiKey: string): Loaded | null {
    return this.#cache.take(orderApiKey) ?? null
  }
}
