import { PauseRestaurant } from '@platter/contracts'
import { Problem } from '@platter/kit'
import { idempotent } from '@platter/kit/idempotency/idempotent'
import type { Route } from '#/route.ts'
import { pause } from '#/store/availability.ts'
import type { Db } from '#/store/database.ts'

export function pauseRestaurant(route: Route, db: Db): void {
  const { execute } = idempotent(db, PauseRestaurant)
  route(PauseRestaurant, (call) =>
    execute(call, async (trx) => {
      const paused = await pause(trx, call.principal.restaurantApiKey, call.body.minutes)
      if (!paused) throw new Problem('restaurant-not-found', 'There is no such restaurant.')
      return { paused: true, ...paused }
    }),
  )
}
