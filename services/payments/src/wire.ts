import { join } from 'node:path'
import { Bus } from '@platter/bus'
import { PaymentsAuthorize, PaymentsCapture, PaymentsRelease, Tokenize } from '@platter/contracts'
import { connectPostgres, createApp, migrate, readJson, router, type Log, type Parts } from '@platter/kit'
import type { z } from 'zod'
import { answering } from './answering.ts'
import type { Config } from './config.ts'
import { authorize } from './handlers/authorize.ts'
import { capture } from './handlers/capture.ts'
import { release } from './handlers/release.ts'
import { createDevelopmentProcessor } from './outside/development-processor.ts'
import { tokenize } from './routes/tokenize.ts'
import { createSettle } from './settle.ts'
import { createAuthorizations, type Database } from './store/authorizations.ts'

const MIGRATIONS = join(import.meta.dirname, '../migrations')

export function wire(config: z.output<typeof Config>, log: Log): Parts {
  const postgres = connectPostgres<Database>(config.DATABASE_URL, config.DATABASE_POOL, log)
  const bus = new Bus({ url: config.AMQP_URL, service: 'payments', log })
  const processor = createDevelopmentProcessor(config.PROCESSOR_URL)
  const authorizations = createAuthorizations(postgres.db)
  const settle = createSettle({ authorizations, processor, log })

  const answered = answering(bus)
  bus.onCommand(PaymentsAuthorize, answered(authorize(authorizations, settle)))
  bus.onCommand(PaymentsCapture, answered(capture(authorizations, settle)))
  bus.onCommand(PaymentsRelease, answered(release(authorizations, settle)))

  const app = createApp(log)
  readJson(app)
  const route = router(app, config.INTERNAL_SECRET)
  route(Tokenize, tokenize(processor, log))

  return {
    app,
    async start() {
      await migrate(postgres.db, MIGRATIONS, log)
      await bus.start()
    },
    // Without the processor we are ready all the same: releases and repeated commands are answered from the rows.
    checks: { postgres: () => postgres.check(), rabbitmq: () => bus.check() },
    quiesce: () => bus.quiesce(),
    async close() {
      await Promise.all([bus.close(), processor.close(), postgres.close()])
    },
  }
}
