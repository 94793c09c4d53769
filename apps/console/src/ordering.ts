import type { Attendance, OwnRestaurant } from '@platter/contracts'
import { timeOf } from '#/clock.ts'
import type { ConnectionState } from '#/connection.ts'

/** Whether customers can order now. `why` is the reason for the page; empty if they can order. */
export type Ordering = { can: 'yes' | 'no' | 'unknown'; tone: 'is-yes' | 'is-no' | 'is-lost'; why: string }

export type Facts = {
  connection: ConnectionState
  restaurant: OwnRestaurant
  attendance: Attendance | null
}

const no = (why: string): Ordering => ({ can: 'no', tone: 'is-no', why })
const lost = (can: 'no' | 'unknown', why: string): Ordering => ({ can, tone: 'is-lost', why })

/** Returns whether customers can order, and otherwise the reason. Without a connection the last record proves nothing. */
export function orderingOf({ connection, restaurant, attendance }: Facts): Ordering {
  const hasOwnSystem = attendance?.link === 'webhook'
  if (connection.state === 'offline') return withoutConnection(connection.since / 1_000, hasOwnSystem)
  const { open, paused, pausedUntil, closedReason, opensAt } = restaurant
  if (paused && pausedUntil !== null) return no(`Paused until ${timeOf(pausedUntil)}.`)
  if (paused) return no('The restaurant has stopped taking orders.')
  if (open) return { can: 'yes', tone: 'is-yes', why: '' }
  if (closedReason === 'unattended')
    return lost(
      'no',
      hasOwnSystem ? 'Your own system does not respond to Platter.' : 'This console is being connected.',
    )
  if (closedReason === 'hidden') return no('The operator has hidden the restaurant.')
  return no(opensAt ? `Opens ${timeOf(opensAt)}.` : 'Outside the opening hours.')
}

/** A console without a connection cannot attend its restaurant; the restaurant's own system still may. */
function withoutConnection(since: number, hasOwnSystem: boolean): Ordering {
  const offline = `Offline since ${timeOf(since)}, trying to connect.`
  if (hasOwnSystem) return lost('unknown', `${offline} Your own system may still receive orders.`)
  return lost(
    'no',
    `${offline} Customers cannot order, unless another device of the restaurant is connected. Orders may be missing.`,
  )
}
