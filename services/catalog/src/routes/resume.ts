import { ResumeRestaurant } from '@platter/contracts'
import { Problem } from '@platter/kit'
import { idempotent } from '@platter/kit/idempotency/idempotent'
import type { Route } from '#/route.ts'
import { pause } from '#/store/availability.ts'
import type { Db } from '#/store/database.ts'

export function resumeRestaurant(route: Route, db: Db): void {
  const { execute } = idempotent(db, ResumeRestaurant)
  route(ResumeRestaurant, (call) =>
    execute(call, async (trx) => {
      const resumed = await pause(trx, call.principal.restaurantApiKey, null)
      if (!resumed) throw new Problem('restaurant-not-found', 'There is no such restaurant.')
      return { paused: false, ...resumed }
    }),
  )
}
