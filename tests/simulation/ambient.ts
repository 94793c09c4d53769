import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers/promises'
import { currentProcess, world } from './simulation.ts'

/** The start of virtual time. */
const EPOCH = Date.UTC(2030, 0, 1)

type Timer = { cancelled: boolean }

function virtualTimeout(run: () => void, ms = 0): Timer {
  const timer = { cancelled: false }
  world.schedule(ms, currentProcess(), () => {
    if (!timer.cancelled) run()
  })
  return timer
}

const virtualWait = (ms = 0, value?: unknown): Promise<unknown> =>
  new Promise((resolve) => virtualTimeout(() => resolve(value), ms))

function randomBytes(size: number): Buffer {
  return Buffer.from(Array.from({ length: size }, () => world.random.between(0, 255)))
}

/** Replaces the clocks, timers and random sources of this process by virtual time and seeded choices. */
export function installAmbient(): void {
  Object.assign(globalThis, {
    setTimeout: virtualTimeout,
    clearTimeout: (timer: Timer | undefined) => {
      if (timer) timer.cancelled = true
    },
    setImmediate: (run: () => void) => virtualTimeout(run),
  })
  Object.assign(performance, { now: () => world.now })
  Object.assign(Date, { now: () => EPOCH + Math.floor(world.now) })
  Object.assign(Math, { random: () => world.random.next() })
  Object.assign(timers, { setTimeout: virtualWait })
  Object.assign(crypto, { randomBytes, randomUUID: () => randomBytes(16).toString('hex') })
  syncBuiltinESMExports()
}
