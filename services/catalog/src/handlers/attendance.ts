import type { CatalogAttendance } from '@platter/contracts'
import type { AttendanceStore } from '#/store/attendance.ts'

type Deps = { attendance: Pick<AttendanceStore, 'store'> }

/** Handles the command `catalog.attendance`. */
export const storeAttendance =
  ({ attendance }: Deps) =>
  (data: CatalogAttendance): Promise<void> =>
    attendance.store(data)
