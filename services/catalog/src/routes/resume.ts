import { ResumeRestaurant } from '@platter/contracts'
import { Problem } from '@platter/kit'
import { keptOnce } from '@platter/kit/postgres/kept-once'
import type { Route } from '#/route.ts'
import { pause } from '#/store/availability.ts'
import type { Db } from '#/store/database.ts'

export function resumeRestaurant(route: Route, db: Db): void {
  const { once } = keptOnce(db, ResumeRestaurant)
  route(ResumeRestaurant, (call) =>
    once(call, async (trx) => {
      const resumed = await pause(trx, call.principal.restaurantApiKey, null)
      if (!resumed) throw new Problem('restaurant-not-found', 'There is no such restaurant.')
      return { paused: false, ...resumed }
    }),
  )
}
