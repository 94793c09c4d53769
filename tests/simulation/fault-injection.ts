import { broker, database, processor, replicas, restaurants, world } from './simulation.ts'

/** Schedules faults of entire processes and servers until `untilMs`. */
export function injectFaults(untilMs: number): void {
  const { random } = world
  const victim = () => random.pick(replicas.all).process
  const upTo = (ms: number) => 500 + random.next() * ms
  const faults: Record<string, () => void> = {
    kill: () => victim()?.die(),
    freeze: () => {
      const process = victim()
      if (!process?.isAlive) return
      const forMs = upTo(25_000)
      process.frozenUntil = world.now + forMs
      // The broker misses the heartbeats of the frozen process.
      if (forMs > 10_000) world.schedule(10_000, null, () => broker.endAll(process))
    },
    'cut from the broker': () => {
      const process = victim()
      if (process?.isAlive) broker.endAll(process)
    },
    'broker restarted': () => broker.restart(upTo(6_000), false),
    'broker wiped': () => broker.restart(upTo(6_000), true),
    'database down': () => (database.downUntil = world.now + upTo(6_000)),
    'processor down': () => (processor.downUntil = world.now + upTo(15_000)),
    'restaurants down': () => (restaurants.downUntil = world.now + upTo(15_000)),
  }
  const meanPauseMs = random.pick([1_500, 6_000, Infinity])
  let at = random.next() * meanPauseMs
  while (at < untilMs) {
    const [kind, inject] = random.pick(Object.entries(faults))
    world.schedule(at, null, () => {
      world.recordFault(kind)
      inject()
    })
    at += random.next() * 2 * meanPauseMs
  }
}
