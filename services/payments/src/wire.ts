import { join } from 'node:path'
import { Bus } from '@platter/bus'
import {
  AccountsSetCard,
  BalanceTransactions,
  DetachCard,
  FindCharges,
  PaymentMethods,
  PaymentsAuthorize,
  PaymentsCapture,
  PaymentsRefund,
  PaymentsRefundsSet,
  PaymentsRelease,
  ReadCard,
  ReadCharges,
  PaymentIncidents,
  ReadPaymentRows,
  PaymentsHealth,
  ReadPaymentStory,
  Tokenize,
  epochSeconds,
} from '@platter/contracts'
import {
  acceptsRawCards,
  createApp,
  internalSecrets,
  readJson,
  router,
  type Log,
  type Parts,
} from '@platter/kit'
import { readDatabaseHealth } from '@platter/kit/postgres/database-health'
import { schemaOwner } from '@platter/kit/lifecycle/schema-owner'
import { connectPostgres } from '@platter/kit/postgres/postgres'
import { commandExecutor } from '#/command-executor.ts'
import { commandHandler } from '#/command-handler.ts'
import { processorConfig, type Config } from '#/config.ts'
import { authorize } from '#/handlers/authorize.ts'
import { capture } from '#/handlers/capture.ts'
import { refund } from '#/handlers/refund.ts'
import { release } from '#/handlers/release.ts'
import { chargeMirror } from '#/mirror-charges.ts'
import { developmentProcessor } from '#/outside/development-processor.ts'
import { NO_PROCESSOR, noProcessor } from '#/outside/no-processor.ts'
import { COMMANDS_AT_ONCE } from '#/outside/processor.ts'
import { createEventReader } from '#/outside/stripe-events.ts'
import { StripeProcessor } from '#/outside/stripe-processor.ts'
import { tracedProcessor } from '#/outside/traced-processor.ts'
import { refundExecutor } from '#/refund-executor.ts'
import { detachCard } from '#/routes/detach-card.ts'
import { findCharges } from '#/routes/find-charges.ts'
import { paymentMethods } from '#/routes/payment-methods.ts'
import { paymentsHealth } from '#/routes/payments-health.ts'
import { paymentIncidents } from '#/routes/payment-incidents.ts'
import { readCard } from '#/routes/read-card.ts'
import { readCharges } from '#/routes/read-charges.ts'
import { processorEventNotifier } from '#/notify-orders.ts'
import { mirrorSender, sendMirrors } from '#/send-mirrors.ts'
import { balanceTransactions } from '#/routes/balance-transactions.ts'
import { readPaymentRows } from '#/routes/read-payment-rows.ts'
import { readPaymentStory } from '#/routes/read-payment-story.ts'
import { stripeWebhook } from '#/routes/stripe-webhook.ts'
import { tokenize } from '#/routes/tokenize.ts'
import { postgresAuthorizations } from '#/store/authorizations.ts'
import { postgresChargeMirrors } from '#/store/charge-mirrors.ts'
import { RedisCardLimits } from '#/store/card-limits.ts'
import { postgresRefunds } from '#/store/refunds.ts'
import { postgresPaymentRecords } from '#/store/payment-records.ts'
import { postgresWebhookEvents } from '#/store/webhook-events.ts'
import { stripeEventHandler } from '#/stripe-event-handler.ts'

/** Finds a lost event within some minutes; each run reads one page of the processor's list. */
const COMPARE_EVERY_MS = 120_000
/** For mirrors that orders has not confirmed. */
const SEND_EVERY_MS = 10_000

const MIGRATIONS = join(import.meta.dirname, '../migrations')

export function wire(config: Config, log: Log): Parts {
  const chosen = processorConfig(config)
  if (chosen.test && config.NODE_ENV !== 'development')
    log.warn({ kind: chosen.kind }, 'the payment processor is in test mode: no card is charged')
  const postgres = connectPostgres(config.DATABASE_URL, config.DATABASE_POOL, log, {
    joins: 'by key',
    statements: config.DATABASE_STATEMENTS,
  })
  const bus = new Bus({ url: config.AMQP_URL, queues: config.BUS_QUEUES, service: 'payments', log })
  const stripe = chosen.kind === 'stripe' ? new StripeProcessor(chosen) : null
  const limits = new RedisCardLimits(config, log)
  const direct = chosen.kind === 'development' ? developmentProcessor(chosen) : (stripe ?? noProcessor())
  const processor = chosen.kind === 'none' ? direct : tracedProcessor(direct, new URL(chosen.url))
  const authorizations = postgresAuthorizations(postgres.db)
  const records = postgresPaymentRecords(postgres.db)
  const mirrors = postgresChargeMirrors(postgres.db)
  const refunds = postgresRefunds(postgres.db)
  const send = mirrorSender({ bus, log })
  const mirror = chargeMirror({ reads: processor, mirrors, refunds, authorizations, send, log })
  const execute = commandExecutor({ authorizations, processor, limits, log })
  const executeRefund = refundExecutor({ refunds, processor, log })
  const deps = { authorizations, refunds, records, mirrors, processor, limits, execute, executeRefund, log }

  const refusal = chosen.kind === 'none' ? NO_PROCESSOR : null
  const options = { concurrency: COMMANDS_AT_ONCE }
  bus.onCommand(PaymentsAuthorize, commandHandler(bus, authorize({ ...deps, refusal })), options)
  bus.onCommand(PaymentsCapture, commandHandler(bus, capture(deps)), options)
  bus.onCommand(PaymentsRelease, commandHandler(bus, release(deps)), options)
  bus.onCommand(PaymentsRefund, commandHandler(bus, refund(deps)), options)
  // A confirmed version of a mirror is not published again.
  bus.onCommand(PaymentsRefundsSet, ({ orderApiKey, version }) => mirrors.confirm(orderApiKey, version))

  const app = createApp(log, { tlsDirectory: config.TLS_DIRECTORY })
  readJson(app)
  const route = router(app, internalSecrets(config))
  route(Tokenize, tokenize({ ...deps, acceptsRawCards: acceptsRawCards(config) }))
  route(ReadCard, readCard(deps))
  route(DetachCard, detachCard(deps))
  route(PaymentMethods, paymentMethods(chosen, acceptsRawCards(config)))
  route(ReadPaymentStory, readPaymentStory(deps))
  route(ReadPaymentRows, readPaymentRows(deps))
  route(ReadCharges, readCharges(deps))
  route(FindCharges, findCharges(deps))
  route(PaymentIncidents, paymentIncidents(deps))
  route(BalanceTransactions, balanceTransactions({ reads: processor, mirrors, now: epochSeconds }))
  const events = postgresWebhookEvents(postgres.db)
  const reads = { database: () => readDatabaseHealth(postgres.db), queues: () => bus.queues() }
  route(
    PaymentsHealth,
    paymentsHealth({ kind: chosen.kind, test: chosen.test, processor, events, limits, ...reads }),
  )
  const handle = stripeEventHandler({
    ...deps,
    events,
    mirror,
    notify: processorEventNotifier({ authorizations, bus }),
    setCard: (card, event) => bus.publish(AccountsSetCard, card, { requestId: event }),
  })
  const path = stripe ? '/webhooks/stripe' : '/webhooks/processor'
  if (chosen.kind !== 'none' && chosen.webhookSecret !== null)
    stripeWebhook(app, path, { read: createEventReader(chosen.webhookSecret), handle })
  return schemaOwner(
    { app, log, postgres, bus, migrations: MIGRATIONS },
    {
      repeat(repeaters) {
        repeaters.repeat('compare refunds and disputes', COMPARE_EVERY_MS, () => mirror.compare())
        repeaters.repeat('send refunds and disputes to orders', SEND_EVERY_MS, () =>
          sendMirrors(mirrors, send),
        )
      },
      // Without Redis each replica counts cards alone. Without the processor, the rows are sufficient to reply to releases and
      // repeated commands.
      connections: [processor, limits],
    },
  )
}
