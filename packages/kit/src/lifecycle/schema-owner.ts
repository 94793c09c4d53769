import type { App } from '#/http/app.ts'
import { Repeaters } from '#/lifecycle/repeat.ts'
import type { Parts } from '#/lifecycle/service.ts'
import { migrate } from '#/postgres/migrate.ts'
import type { Postgres } from '#/postgres/postgres.ts'
import type { Log } from '#/telemetry/log.ts'

/** The messages of a service, as `Bus` of @platter/bus implements them. */
type Messages = {
  start(): Promise<void>
  check(): Promise<void>
  /** Stops the consumers, and waits for the messages in progress. */
  quiesce(): Promise<void>
  close(): Promise<void>
}

/** The servers of a service that owns a schema of PostgreSQL and exchanges messages. */
type Servers = {
  app: App
  log: Log
  postgres: Postgres
  bus: Messages
  /** The folder of the schema's migrations. */
  migrations: string
}

type Work = {
  /** Work between the migrations and the first message. It is repeated until it succeeds. */
  afterMigrations?: () => Promise<void>
  /** Registers the periodic work. It begins after the consumers. */
  repeat: (repeaters: Repeaters) => void
  /** Further connections. Readiness does not depend on them: the service works without Redis and third parties. */
  connections: readonly { close(): Promise<void> | void }[]
}

/**
 * Returns the parts of a service that owns a schema. It starts with its tables, then its consumers, then its periodic work. It is
 * ready while PostgreSQL and RabbitMQ are available. It stops its consumers and its periodic work, and closes its connections last.
 */
export function schemaOwner(
  { app, log, postgres, bus, migrations }: Servers,
  { afterMigrations, repeat, connections }: Work,
) {
  const repeaters = new Repeaters(log)
  return {
    app,
    checks: { postgres: () => postgres.check(), rabbitmq: () => bus.check() },
    async start() {
      await postgres.checkRole()
      await migrate(postgres.db, migrations, log)
      await afterMigrations?.()
      await bus.start()
      repeat(repeaters)
    },
    quiesce: async () => void (await Promise.all([bus.quiesce(), repeaters.stop()])),
    close: async () =>
      void (await Promise.all([...connections, bus, postgres].map(async (one) => one.close()))),
  } satisfies Parts
}
