import type { Operation } from '@platter/contracts'
import { Rendered, type Call } from '@platter/kit'
import type { Idempotent, Stores } from '../../services/orders/src/store/stores.ts'
import { stores } from './stores.ts'

/**
 * Stores no responses. A repeated request executes its work again, as after a crash before the response was stored.
 * `idempotency-keys.ts` has the variant of send-order.
 */
export const idempotent = (() => ({
  replay: async () => null,
  execute: async (_call: Call<Operation>, work: (stores: Stores) => Promise<unknown>) =>
    new Rendered(JSON.stringify(await work(stores))),
  executeRepeatable: async (_call: Call<Operation>, work: () => Promise<unknown>) =>
    new Rendered(JSON.stringify(await work())),
})) as unknown as Idempotent
