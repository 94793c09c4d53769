import { PauseRestaurant } from '@platter/contracts'
import { Problem, type Handler, type Db } from '@platter/kit'
import { idempotent } from '@platter/kit/idempotency/idempotent'
import { pauseRecord } from '#/domain/hours.ts'
import type { AvailabilityStore } from '#/store/availability-overrides.ts'

type Deps = { db: Db; availability: (db: Db) => Pick<AvailabilityStore, 'pause'> }

export function pause({ db, availability }: Deps): Handler<typeof PauseRestaurant> {
  const { execute } = idempotent(db, PauseRestaurant)
  return (call) =>
    execute(call, async (trx) => {
      const paused = await availability(trx).pause(
        call.principal.restaurantApiKey,
        call.body.minutes ?? 'until-resumed',
      )
      if (!paused) throw new Problem('restaurant-not-found')
      return pauseRecord(paused.pausedUntil)
    })
}
