import type { ConnectionState } from '#/connection.ts'
import type { Attendance, OwnRestaurant } from '@platter/contracts'

/** Whether customers can order now. `until` and `from` are in seconds. */
export type Ordering =
  | { can: 'yes' }
  | { can: 'no'; why: 'offline'; since: number }
  | { can: 'no'; why: 'stopped' }
  | { can: 'no'; why: 'paused'; until: number }
  | { can: 'no'; why: 'hours'; from: number | null }
  | { can: 'no'; why: 'unattended'; link: Attendance['link'] }
  | { can: 'no'; why: 'hidden' }
  | { can: 'unknown'; since: number }

export type Facts = {
  connection: ConnectionState
  restaurant: OwnRestaurant
  attendance: Attendance | null
}

/** Returns whether customers can order, and otherwise the reason. Without a connection the last record proves nothing. */
export function orderingOf({ connection, restaurant, attendance }: Facts): Ordering {
  if (connection.state === 'offline') return withoutConnection(connection.since / 1_000, attendance)
  const { open, paused, pausedUntil, closedReason, opensAt } = restaurant
  if (paused)
    return pausedUntil === null
      ? { can: 'no', why: 'stopped' }
      : { can: 'no', why: 'paused', until: pausedUntil }
  if (open) return { can: 'yes' }
  if (closedReason === 'unattended')
    return { can: 'no', why: 'unattended', link: attendance?.link ?? 'console' }
  if (closedReason === 'hidden') return { can: 'no', why: 'hidden' }
  return { can: 'no', why: 'hours', from: opensAt ?? null }
}

/** A console without a connection cannot attend its restaurant; the restaurant's own system still may. */
const withoutConnection = (since: number, attendance: Attendance | null): Ordering =>
  attendance?.link === 'webhook' ? { can: 'unknown', since } : { can: 'no', why: 'offline', since }
