import { MOST_INCIDENTS, type CatalogUnattended } from '@platter/contracts'
import type { z } from 'zod'
import { isOpen } from '#/domain/hours.ts'
import type { AttendanceStore } from '#/store/attendance.ts'

type Deps = { attendance: Pick<AttendanceStore, 'unattended'> }

/** Handles the question `catalog.unattended`. After a restaurant opens, the same time must pass first. */
export const findUnattended =
  ({ attendance }: Deps) =>
  async ({
    olderThanMs,
  }: z.output<typeof CatalogUnattended.data>): Promise<z.input<typeof CatalogUnattended.reply>> => {
    const now = Date.now()
    const unattended = await attendance.unattended(olderThanMs)
    const open = unattended.filter(
      ({ hours, timezone }) => isOpen(hours, timezone, now) && isOpen(hours, timezone, now - olderThanMs),
    )
    return {
      restaurants: open
        .slice(0, MOST_INCIDENTS)
        .map(({ restaurantApiKey, name, at }) => ({ restaurantApiKey, name, at })),
    }
  }
