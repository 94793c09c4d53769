import { ChoiceAvailability } from '@platter/contracts'
import { sayAvailability } from '#/say-availability.ts'
import type { Route } from '#/route.ts'
import type { Db } from '#/store/database.ts'

export const choiceAvailability = (route: Route, db: Db) =>
  route(ChoiceAvailability, (call) => sayAvailability(db, 'choice', call))
