import { ItemAvailability } from '@platter/contracts'
import type { Handler } from '@platter/kit'
import { idempotent } from '@platter/kit/idempotency/idempotent'
import { setAvailability, type Deps } from '#/set-availability.ts'

export function itemAvailability({ db, availability }: Deps): Handler<typeof ItemAvailability> {
  const { execute } = idempotent(db, ItemAvailability)
  return (call) => execute(call, (trx) => setAvailability(availability(trx), 'item', call))
}
