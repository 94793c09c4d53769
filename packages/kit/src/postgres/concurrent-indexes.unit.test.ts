import { requestTimes } from '@platter/contracts'
import { silentServer } from '@platter/testkit'
import { expect, onTestFinished, test, vi } from 'vitest'
import { buildIndexes } from '#/postgres/concurrent-indexes.ts'
import { createLog } from '#/telemetry/log.ts'

test(
  'a build fails within 5 s at a server that accepts the connection and never responds',
  { timeout: 10_000 },
  async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const frozen = await silentServer()
    onTestFinished(() => frozen.close())
    const failed = buildIndexes({
      url: `postgres://orders@127.0.0.1:${frozen.port}/platter`,
      indexes: [],
      log: createLog('test', 'silent'),
      signal: new AbortController().signal,
    }).catch(String)
    await frozen.connections(1)
    vi.advanceTimersByTime(requestTimes.connection)
    expect(await failed).toMatch('timeout')
  },
)
