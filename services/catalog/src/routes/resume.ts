import { ResumeRestaurant } from '@platter/contracts'
import { Problem } from '@platter/kit'
import type { Route } from '#/route.ts'
import { pause } from '#/store/availability.ts'
import type { Db } from '#/store/database.ts'

export const resumeRestaurant = (route: Route, db: Db) =>
  route(ResumeRestaurant, async ({ principal }) => {
    const resumed = await pause(db, principal.restaurantApiKey, null)
    if (!resumed) throw new Problem('restaurant-not-found', 'There is no such restaurant.')
    return { paused: false, ...resumed }
  })
