import { createApp, readBytes, retryUntilSuccess, type Log, type Parts } from '@platter/kit'
import type { z } from 'zod'
import type { Config } from './config.ts'
import { Progress } from './progress.ts'
import { Receipts } from './receipts.ts'
import { RestaurantApi } from './restaurant-api.ts'
import { addRoutes } from './routes.ts'

/** Reads the receipts before it listens, so that a repeated delivery is recognized. */
export function wire(config: z.output<typeof Config>, log: Log): Parts {
  const receipts = new Receipts(config.RECEIPTS_FILE)
  const api = new RestaurantApi({ gateway: config.GATEWAY_URL, operatorKey: config.OPERATOR_KEY })
  const progress = new Progress({ api, stepMs: config.STEP_MS, log })
  const app = createApp(log)
  readBytes(app)
  addRoutes(app, { receipts, progress, slowMs: config.SLOW_MS })
  const stopping = new AbortController()
  let resuming: Promise<void> | undefined
  return {
    app,
    checks: {},
    async start() {
      // Not awaited: restaurants accept orders while the gateway is unavailable.
      resuming = retryUntilSuccess('resume', () => progress.resume(receipts), log, stopping.signal)
    },
    async quiesce() {
      stopping.abort()
      progress.endAll()
      await resuming
    },
  }
}
