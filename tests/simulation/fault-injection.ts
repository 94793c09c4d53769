import type { Simulation } from './simulation.ts'
import type { Process } from './world.ts'

type Victim = { process: Process | null }

/** Schedules faults of entire processes and servers until `untilMs`. */
export function injectFaults(all: Simulation, victims: readonly Victim[], untilMs: number): void {
  const { world, broker, database, processor, restaurants } = all
  const { random } = world
  const faults: Record<string, () => void> = {
    kill: () => random.pick(victims).process?.die(),
    freeze: () => {
      const { process } = random.pick(victims)
      if (!process?.alive) return
      const forMs = 500 + random.next() * 25_000
      process.frozenUntil = world.now + forMs
      // The broker misses the heartbeats of the frozen process.
      if (forMs > 10_000) world.later(10_000, null, () => broker.endAll(process))
    },
    'cut from the broker': () => {
      const { process } = random.pick(victims)
      if (process?.alive) broker.endAll(process)
    },
    'broker restarted': () => broker.restart(500 + random.next() * 6_000, false),
    'broker wiped': () => broker.restart(500 + random.next() * 6_000, true),
    'database down': () => (database.downUntil = world.now + 500 + random.next() * 6_000),
    'processor down': () => (processor.downUntil = world.now + 500 + random.next() * 15_000),
    'restaurants down': () => (restaurants.downUntil = world.now + 500 + random.next() * 15_000),
  }
  const meanPauseMs = random.pick([1_500, 6_000, Infinity])
  let at = random.next() * meanPauseMs
  while (at < untilMs) {
    const [kind, inject] = random.pick(Object.entries(faults))
    world.later(at, null, () => {
      world.fault(kind)
      inject()
    })
    at += random.next() * 2 * meanPauseMs
  }
}
