import type { RestaurantAccessKeys } from '@platter/contracts'
import { page, type Handler, type Db } from '@platter/kit'
import type { AccessKeyRecordStore } from '#/store/access-key-records.ts'
import { Position, positionOf } from '#/store/tables.ts'

type Deps = { db: Db; accessKeyRecords: (db: Db) => Pick<AccessKeyRecordStore, 'list'> }

/** The list of an unknown restaurant is empty, because only catalog has the restaurants. */
export const restaurantAccessKeys =
  ({ db, accessKeyRecords }: Deps): Handler<typeof RestaurantAccessKeys> =>
  (call) => {
    const holder = { kind: 'restaurant', restaurantApiKey: call.params.apiKey } as const
    return page(call, Position, (range) => accessKeyRecords(db).list(holder, range), positionOf)
  }
