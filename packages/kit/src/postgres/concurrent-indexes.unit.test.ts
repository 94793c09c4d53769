import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { requestTimes } from '@platter/contracts'
import { expect, onTestFinished, test, vi } from 'vitest'
import { buildIndexes } from '#/postgres/concurrent-indexes.ts'
import { createLog } from '#/telemetry/log.ts'

test(
  'a build fails within 2 s at a server that accepts the connection and never responds',
  { timeout: 10_000 },
  async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const frozen = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void frozen.close())
    await once(frozen, 'listening')
    const failed = buildIndexes({
      url: `postgres://orders@127.0.0.1:${(frozen.address() as AddressInfo).port}/platter`,
      indexes: [],
      log: createLog('test', 'silent'),
      signal: new AbortController().signal,
    }).catch(String)
    await once(frozen, 'connection')
    vi.advanceTimersByTime(requestTimes.connection)
    expect(await failed).toMatch('timeout')
  },
)
