import { ChoiceAvailability } from '@platter/contracts'
import { keptOnce } from '@platter/kit/postgres/kept-once'
import { sayAvailability } from '#/say-availability.ts'
import type { Route } from '#/route.ts'
import type { Db } from '#/store/database.ts'

export function choiceAvailability(route: Route, db: Db): void {
  const { once } = keptOnce(db, ChoiceAvailability)
  route(ChoiceAvailability, (call) => once(call, sayAvailability('choice', call)))
}
