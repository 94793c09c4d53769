import { Cache } from '@platter/kit'
import type { SagaOrder } from '#/domain/order-state.ts'
import type { Saga } from '#/domain/saga-row.ts'

/** A saga that is followed by this many saves is loaded again for its reply. */
const MAX_SAGAS = 2_000

/**
 * The sagas that this replica has saved last, so that a reply that arrives here needs no read. A saga that another replica has
 * saved since is harmless: a save applies only to the version that it was computed from.
 */
export class RecentSagas<Loaded extends { order: SagaOrder; saga: Saga }> {
  readonly #cache = new Cache<Loaded>({ maxEntries: MAX_SAGAS })

  add(loaded: Loaded): void {
    this.#cache.set(loaded.saga.orderApiKey, loaded)
  }

  /** Removes and returns the saga; null without one. */
  take(orderApiKey: string): Loaded | null {
    return this.#cache.take(orderApiKey) ?? null
  }
}
