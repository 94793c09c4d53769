import type { Operation } from '@platter/contracts'
import { Rendered, type Call } from '@platter/kit'
import type { Idempotent, Stores } from '../../services/orders/src/store/stores.ts'
import { stores } from './stores.ts'

/**
 * Keeps no answers: a repeated request does its work again, as after a crash before its answer was stored. That of send-order is in
 * `idempotency-keys.ts`.
 */
export const idempotent = (() => ({
  replay: async () => null,
  execute: async (_call: Call<Operation>, work: (stores: Stores) => Promise<unknown>) =>
    new Rendered(JSON.stringify(await work(stores))),
  executeRepeatable: async (_call: Call<Operation>, work: () => Promise<unknown>) =>
    new Rendered(JSON.stringify(await work())),
})) as unknown as Idempotent
