import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers/promises'
import { me, world } from './simulation.ts'

/** The start of virtual time. */
const EPOCH = Date.UTC(2030, 0, 1)

type Timer = { cancelled: boolean; unref(): Timer }

function virtualTimeout(run: () => void, ms = 0): Timer {
  const timer = { cancelled: false, unref: () => timer }
  world().later(ms, me(), () => {
    if (!timer.cancelled) run()
  })
  return timer
}

const virtualWait = (ms = 0, value?: unknown): Promise<unknown> =>
  new Promise((resolve) => virtualTimeout(() => resolve(value), ms))

function randomBytes(size: number): Buffer {
  return Buffer.from(Array.from({ length: size }, () => world().random.between(0, 255)))
}

/**
 * Replaces clocks, timers and random sources by virtual time and seeded choices. Returns a function that restores the real ones.
 */
export function installAmbient(): () => void {
  const real = {
    setTimeout: globalThis.setTimeout,
    clearTimeout: globalThis.clearTimeout,
    setImmediate: globalThis.setImmediate,
    performanceNow: performance.now.bind(performance),
    dateNow: Date.now,
    random: Math.random,
    wait: timers.setTimeout,
    randomBytes: crypto.randomBytes,
    randomUUID: crypto.randomUUID,
  }
  const put = (things: Record<keyof typeof real, unknown>) => {
    const { setTimeout, clearTimeout, setImmediate } = things
    Object.assign(globalThis, { setTimeout, clearTimeout, setImmediate })
    Object.assign(performance, { now: things.performanceNow })
    Object.assign(Date, { now: things.dateNow })
    Object.assign(Math, { random: things.random })
    Object.assign(timers, { setTimeout: things.wait })
    Object.assign(crypto, { randomBytes: things.randomBytes, randomUUID: things.randomUUID })
    syncBuiltinESMExports()
  }
  put({
    setTimeout: virtualTimeout,
    clearTimeout: (timer: Timer | undefined) => {
      if (timer) timer.cancelled = true
    },
    setImmediate: (run: () => void) => virtualTimeout(run),
    performanceNow: () => world().now,
    dateNow: () => EPOCH + Math.floor(world().now),
    random: () => world().random.next(),
    wait: virtualWait,
    randomBytes,
    randomUUID: () => randomBytes(16).toString('hex'),
  })
  return () => put(real)
}
