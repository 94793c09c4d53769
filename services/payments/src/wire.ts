import { join } from 'node:path'
import { Bus } from '@platter/bus'
import {
  AskPaymentAgain,
  FindCharges,
  PaymentsAuthorize,
  PaymentsCapture,
  PaymentsRelease,
  ReadCharges,
  ReadPaymentRows,
  ReadPaymentStory,
  Tokenize,
  UnknownPayments,
} from '@platter/contracts'
import { createApp, internalSecrets, readJson, router, type Log, type Parts } from '@platter/kit'
import { migrate } from '@platter/kit/postgres/migrate'
import { connectPostgres } from '@platter/kit/postgres/postgres'
import { commandHandler } from '#/command-handler.ts'
import { processingOf, type Config } from '#/config.ts'
import { authorize } from '#/handlers/authorize.ts'
import { capture } from '#/handlers/capture.ts'
import { release } from '#/handlers/release.ts'
import { countedProcessor } from '#/outside/counted-processor.ts'
import { createDevelopmentProcessor } from '#/outside/development-processor.ts'
import { createEventReader } from '#/outside/stripe-events.ts'
import { COMMANDS_AT_ONCE } from '#/outside/processor.ts'
import { StripeProcessor } from '#/outside/stripe-processor.ts'
import { tracedProcessor } from '#/outside/traced-processor.ts'
import { askPaymentAgain } from '#/routes/ask-payment-again.ts'
import { findCharges, readCharges } from '#/routes/charges.ts'
import { readPaymentRows, readPaymentStory, unknownPayments } from '#/routes/payment-story.ts'
import { stripeWebhook } from '#/routes/stripe-webhook.ts'
import { tokenize } from '#/routes/tokenize.ts'
import { createSettle } from '#/settle.ts'
import { createAuthorizations, type Database } from '#/store/authorizations.ts'
import { CountedCards } from '#/store/card-limits.ts'
import { createPaymentBooks } from '#/store/payment-books.ts'
import { createWebhookEvents } from '#/store/webhook-events.ts'
import { createTold } from '#/told.ts'

const MIGRATIONS = join(import.meta.dirname, '../migrations')

export function wire(config: Config, log: Log): Parts {
  const processing = processingOf(config)
  const postgres = connectPostgres<Database>(config.DATABASE_URL, config.DATABASE_POOL, log, {
    joins: 'by key',
  })
  const bus = new Bus({ url: config.AMQP_URL, queues: config.BUS_QUEUES, service: 'payments', log })
  const stripe = processing.kind === 'stripe' ? new StripeProcessor(processing) : null
  const limits = new CountedCards(config.REDIS_URL, {
    secret: config.INTERNAL_SECRET,
    policy: policyOf(config),
    log,
  })
  const traced = tracedProcessor(
    stripe ?? createDevelopmentProcessor(processing.url),
    new URL(processing.url),
  )
  const processor = countedProcessor(traced, limits, log)
  const authorizations = createAuthorizations(postgres.db)
  const settle = createSettle({ authorizations, processor, log })

  const concurrency = { atOnce: COMMANDS_AT_ONCE }
  bus.onCommand(PaymentsAuthorize, commandHandler(bus, authorize(authorizations, settle)), concurrency)
  bus.onCommand(PaymentsCapture, commandHandler(bus, capture(authorizations, settle)), concurrency)
  bus.onCommand(PaymentsRelease, commandHandler(bus, release(authorizations, settle)), concurrency)

  const secrets = internalSecrets(config)
  const app = createApp(log)
  readJson(app)
  const route = router(app, secrets)
  route(Tokenize, tokenize({ processor, limits, log }))
  const books = createPaymentBooks(postgres.db)
  route(ReadPaymentStory, readPaymentStory(books))
  route(ReadPaymentRows, readPaymentRows(books))
  route(ReadCharges, readCharges(processor))
  route(FindCharges, findCharges(books, processor))
  route(UnknownPayments, unknownPayments(books))
  route(AskPaymentAgain, askPaymentAgain(authorizations, books, settle))
  if (processing.kind === 'stripe' && stripe) {
    const events = createWebhookEvents(postgres.db)
    stripeWebhook(app, {
      read: createEventReader(processing.webhookSecret),
      told: createTold({ events, authorizations, processor: stripe, log }),
    })
  }

  return {
    app,
    async start() {
      await migrate(postgres.db, MIGRATIONS, log)
      await bus.start()
    },
    // Without Redis each replica counts cards for itself, and nothing else is missing.
    // Without the processor we are ready all the same: releases and repeated commands are answered from the rows.
    checks: { postgres: () => postgres.check(), rabbitmq: () => bus.check() },
    quiesce: () => bus.quiesce(),
    async close() {
      await Promise.all([bus.close(), processor.close(), postgres.close(), limits.close()])
    },
  }
}

const policyOf = (config: Config) => ({
  cardsPerUser: config.CARDS_PER_USER,
  declinesPerCard: config.DECLINES_PER_CARD,
  declinesPerAddress: config.DECLINES_PER_ADDRESS,
  declinesPerApplication: config.DECLINES_PER_APPLICATION,
  seconds: config.CARDS_SECONDS,
})
