import type { Operation } from '@platter/contracts'
import { Rendered, type Call } from '@platter/kit'
import type { Idempotent, Stores } from '../../services/orders/src/store/stores.ts'
import { stores } from './stores.ts'

/** Restaurants send no Idempotency-Key here; that of send-order is in `idempotency-keys.ts`. */
export const idempotent = (() => ({
  replay: async () => null,
  execute: async ({ idempotency }: Call<Operation>, work: (stores: Stores) => Promise<unknown>) => {
    if (idempotency) throw new Error('the simulation keeps no answers under keys of restaurants')
    return new Rendered(JSON.stringify(await work(stores)))
  },
})) as unknown as Idempotent
