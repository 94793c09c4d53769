import { ItemAvailability } from '@platter/contracts'
import { idempotent } from '@platter/kit/idempotency/idempotent'
import { sayAvailability } from '#/say-availability.ts'
import type { Route } from '#/route.ts'
import type { Db } from '#/store/database.ts'

export function itemAvailability(route: Route, db: Db): void {
  const { execute } = idempotent(db, ItemAvailability)
  route(ItemAvailability, (call) => execute(call, sayAvailability('item', call)))
}
