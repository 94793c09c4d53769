import { ItemAvailability } from '@platter/contracts'
import { sayAvailability } from '#/say-availability.ts'
import type { Route } from '#/route.ts'
import type { Db } from '#/store/database.ts'

export const itemAvailability = (route: Route, db: Db) =>
  route(ItemAvailability, (call) => sayAvailability(db, 'item', call))
