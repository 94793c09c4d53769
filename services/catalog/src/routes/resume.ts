import { ResumeRestaurant } from '@platter/contracts'
import { Problem, type Handler, type Db } from '@platter/kit'
import { idempotent } from '@platter/kit/idempotency/idempotent'
import { pauseRecord } from '#/domain/hours.ts'
import type { AvailabilityStore } from '#/store/availability-overrides.ts'

type Deps = { db: Db; availability: (db: Db) => Pick<AvailabilityStore, 'pause'> }

export function resume({ db, availability }: Deps): Handler<typeof ResumeRestaurant> {
  const { execute } = idempotent(db, ResumeRestaurant)
  return (call) =>
    execute(call, async (trx) => {
      const resumed = await availability(trx).pause(call.principal.restaurantApiKey, null)
      if (!resumed) throw new Problem('restaurant-not-found')
      return pauseRecord(resumed.pausedUntil)
    })
}
