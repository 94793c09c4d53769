import { ChoiceAvailability } from '@platter/contracts'
import { idempotent } from '@platter/kit/idempotency/idempotent'
import { sayAvailability } from '#/say-availability.ts'
import type { Route } from '#/route.ts'
import type { Db } from '#/store/database.ts'

export function choiceAvailability(route: Route, db: Db): void {
  const { execute } = idempotent(db, ChoiceAvailability)
  route(ChoiceAvailability, (call) => execute(call, sayAvailability('choice', call)))
}
