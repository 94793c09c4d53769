/** The time between two beats. A sighting of a console lasts 75 s, so several may fail before the restaurant counts as unattended. */
const BEAT_MS = 15_000
/** While customers cannot order for a reason that the next beat may end: they can order within five seconds of its end. */
const URGENT_BEAT_MS = 3_000

type Beats = {
  /** When the previous beat began (ms), by the clock of the device. */
  lastMs: number
  /** The connection is lost, or the restaurant is not yet known as attended. */
  isUrgent: boolean
}

/** Returns whether a beat is due. A gap in the clock, in which the device slept or its clock was set, makes it due at once. */
export function isBeatDue({ lastMs, isUrgent }: Beats, nowMs: number): boolean {
  const passed = nowMs - lastMs
  return passed < 0 || passed >= (isUrgent ? URGENT_BEAT_MS : BEAT_MS)
}
