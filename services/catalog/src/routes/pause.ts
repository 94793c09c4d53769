import { PauseRestaurant } from '@platter/contracts'
import { Problem } from '@platter/kit'
import type { Route } from '#/route.ts'
import { pause } from '#/store/availability.ts'
import type { Db } from '#/store/database.ts'

export const pauseRestaurant = (route: Route, db: Db) =>
  route(PauseRestaurant, async ({ body, principal }) => {
    const paused = await pause(db, principal.restaurantApiKey, body.minutes)
    if (!paused) throw new Problem('restaurant-not-found', 'There is no such restaurant.')
    return { paused: true, ...paused }
  })
