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
  /** The connection is lost, the restaurant is not yet known to be attended, or its pause is over by the clock. */
  isUrgent: boolean
}

/**
 * Returns whether a beat is due. After a gap in the clock, because the device slept or its clock was set, a beat is due
 * immediately.
 */
export const isBeatDue = ({ lastMs, isUrgent }: Beats, nowMs: number): boolean =>
  hasPassed(isUrgent ? URGENT_BEAT_MS : BEAT_MS, lastMs, nowMs)

/** The delays after a failure. The first is not shown, because a restarting gateway responds again within that time. */
const RETRY_MS = [500, 1_000, 2_000, 4_000]
/** A stream that is not complete may hang. */
const COMPLETE_WITHIN_MS = 8_000
/**
 * A complete stream may be dead. A router that restarts and a device that sleeps lose a connection without a notice, and beats use
 * other connections. EventSource does not show the comments by which the gateway keeps a stream alive.
 */
const SILENT_MS = 120_000

export type Stream = {
  /** waiting: without a connection, until the next attempt. opening: not all open orders were sent yet. */
  state: 'waiting' | 'opening' | 'complete'
  /** The time of the last event, or of the beginning of the state (ms), by the clock of the device. */
  lastMs: number
  /** The number of failures after the last complete stream. */
  failures: number
}

/** Returns what to do with an event stream; null if nothing. */
export function nextStep({ state, lastMs, failures }: Stream, nowMs: number): 'open' | 'drop' | null {
  const retryMs = RETRY_MS[Math.min(failures, RETRY_MS.length) - 1] ?? 0
  const waitMs = { waiting: retryMs, opening: COMPLETE_WITHIN_MS, complete: SILENT_MS }[state]
  if (!hasPassed(waitMs, lastMs, nowMs)) return null
  return state === 'opening' ? 'drop' : 'open'
}

function hasPassed(durationMs: number, sinceMs: number, nowMs: number): boolean {
  const passed = nowMs - sinceMs
  return passed < 0 || passed >= durationMs
}
