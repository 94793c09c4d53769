import type { CatalogUnattended } from '@platter/contracts'
import type { z } from 'zod'
import { isOpen } from '#/domain/hours.ts'
import type { AttendanceStore } from '#/store/attendance.ts'

type Deps = { attendance: Pick<AttendanceStore, 'unattended'> }

/** Handles the question `catalog.unattended`. After a restaurant opens, the same time must pass first. */
export const findUnattended =
  ({ attendance }: Deps) =>
  async ({
    olderThanMs,
    before,
    limit,
  }: z.output<typeof CatalogUnattended.data>): Promise<z.input<typeof CatalogUnattended.reply>> => {
    const now = Date.now()
    const unattended = await attendance.unattended({ olderThanMs, before })
    const open = unattended.filter(
      ({ hours, timezone }) => isOpen(hours, timezone, now) && isOpen(hours, timezone, now - olderThanMs),
    )
    return {
      restaurants: open
        .slice(0, limit)
        .map(({ restaurantApiKey, name, at }) => ({ restaurantApiKey, name, at })),
    }
  }
