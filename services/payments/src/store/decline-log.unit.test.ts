import type { OptionalRedis } from '@platter/kit/lifecycle/optional-redis'
import { expect, test } from 'vitest'
import { DeclineLog, STALENESS_MS } from '#/store/decline-log.ts'

test.each([
  ['a second later', STALENESS_MS],
  ['after the clock was set back', -3_600_000],
])('the declines of other replicas are read again %s', async (_, ms) => {
  const state = { now: 1_800_000_000_000, reads: 0 }
  const client = { xread: async () => void (state.reads += 1) }
  const redis = { run: (command: (from: object) => unknown) => command(client) } as unknown as OptionalRedis
  const log = new DeclineLog(redis, { seconds: 3_600, now: () => state.now })
  const check = () => log.exhaustedForMs([{ key: 'card 1', limit: 3 }])
  await check()
  await check()
  expect(state.reads).toBe(1)
  state.now += ms
  await check()
  expect(state.reads).toBe(2)
})
