/**
 * The interval of beats, which report attendance. A sighting of a console lasts 75 s, so several beats may fail before the
 * restaurant counts as unattended.
 */
const BEAT_MS = 15_000
/** The interval while customers cannot order, and the next beat may change that. Customers can then order within five seconds. */
const URGENT_BEAT_MS = 3_000

type Beats = {
  /** The start of the previous beat (ms), by the clock of the device. */
  lastMs: number
  /** The connection is lost, or the restaurant is not yet known to be attended. */
  isUrgent: boolean
}

/**
 * Returns whether a beat is due. After a gap in the clock, because the device slept or its clock was set, a beat is due
 * immediately.
 */
export function isBeatDue({ lastMs, isUrgent }: Beats, nowMs: number): boolean {
  const passed = nowMs - lastMs
  return passed < 0 || passed >= (isUrgent ? URGENT_BEAT_MS : BEAT_MS)
}
