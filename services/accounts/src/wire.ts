import { join } from 'node:path'
import { Bus } from '@platter/bus'
import {
  AccountsResolve,
  AccountsSave,
  AddAddress,
  AddCard,
  CreateApplication,
  GetUser,
  IssueAccessKey,
  IssueRestaurantAccessKey,
  RegisterUser,
  ResolveAccessKey,
} from '@platter/contracts'
import {
  connectPostgres,
  createApp,
  migrate,
  readJson,
  Replicas,
  router,
  type Log,
  type Parts,
} from '@platter/kit'
import type { Config } from '#/config.ts'
import { resolve } from '#/handlers/resolve.ts'
import { save } from '#/handlers/save.ts'
import { tokenizer } from '#/outside/payments.ts'
import { passwordHasher } from '#/password.ts'
import { addAddress } from '#/routes/add-address.ts'
import { addCard } from '#/routes/add-card.ts'
import { createApplication } from '#/routes/create-application.ts'
import { issueAccessKey } from '#/routes/issue-access-key.ts'
import { issueRestaurantAccessKey } from '#/routes/issue-restaurant-access-key.ts'
import { registerUser } from '#/routes/register-user.ts'
import { resolveAccessKey } from '#/routes/resolve-access-key.ts'
import { getUser } from '#/routes/user.ts'
import { ensureOperatorKey } from '#/store/access-keys.ts'
import type { Tables } from '#/store/tables.ts'

const MIGRATIONS = join(import.meta.dirname, '../migrations')

export function wire(config: Config, log: Log): Parts {
  const app = createApp(log)
  readJson(app)

  const postgres = connectPostgres<Tables>(config.DATABASE_URL, config.DATABASE_POOL, log)
  const { db } = postgres
  const bus = new Bus({ url: config.AMQP_URL, service: 'accounts', log })
  const payments = new Replicas(config.PAYMENTS_URL)

  const route = router(app, config.INTERNAL_SECRET)
  route(RegisterUser, registerUser(db, passwordHasher()))
  route(GetUser, getUser(db))
  route(AddCard, addCard(db, tokenizer(payments, config.INTERNAL_SECRET)))
  route(AddAddress, addAddress(db))
  route(CreateApplication, createApplication(db))
  route(IssueAccessKey, issueAccessKey(db))
  route(IssueRestaurantAccessKey, issueRestaurantAccessKey(db))
  route(ResolveAccessKey, resolveAccessKey(db, log))

  bus.onQuestion(AccountsResolve, resolve(db))
  bus.onCommand(AccountsSave, save(db, bus))

  return {
    app,
    async start() {
      await migrate(db, MIGRATIONS, log)
      if (config.OPERATOR_KEY_HASH !== undefined) await ensureOperatorKey(db, config.OPERATOR_KEY_HASH)
      bus.start()
    },
    checks: { postgres: () => postgres.check(), rabbitmq: () => bus.check() },
    quiesce: () => bus.quiesce(),
    close: async () => void (await Promise.all([bus.close(), payments.close(), postgres.close()])),
  }
}
