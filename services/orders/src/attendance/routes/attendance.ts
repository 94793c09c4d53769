import type { ReadAttendance } from '@platter/contracts'
import type { Handler } from '@platter/kit'
import type { AttendanceKeeper } from '#/attendance/keeper.ts'

type Deps = { attendance: Pick<AttendanceKeeper, 'recordSightings' | 'find'> }

export const readAttendance =
  ({ attendance }: Deps): Handler<typeof ReadAttendance> =>
  async ({ principal: { restaurantApiKey } }) => {
    await attendance.recordSightings([restaurantApiKey])
    return attendance.find(restaurantApiKey)
  }
