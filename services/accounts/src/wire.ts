import { join } from 'node:path'
import { Bus } from '@platter/bus'
import {
  AccountsResolve,
  AccountsSave,
  AddAddress,
  AddCard,
  ApplicationAccessKeys,
  Applications,
  CreateApplication,
  GetUser,
  ImportedAccessKeys,
  IssueAccessKey,
  IssueOperatorAccessKey,
  IssueRestaurantAccessKey,
  OperatorAccessKeys,
  RegisterUser,
  RemoveAddress,
  RemoveCard,
  ResolveAccessKey,
  RestaurantAccessKeys,
  RevokeAccessKey,
  RotateAccessKey,
  Signin,
  UpdateUser,
} from '@platter/contracts'
import {
  createApp,
  internalSecrets,
  readJson,
  repeat,
  Replicas,
  router,
  type Log,
  type Parts,
  type Repeater,
} from '@platter/kit'
import { checkTenantRole } from '@platter/kit/postgres/tenant-scope'
import { deleteExpiredKeys } from '@platter/kit/idempotency/key-store'
import { migrate } from '@platter/kit/postgres/migrate'
import { connectPostgres } from '@platter/kit/postgres/postgres'
import type { Config } from '#/config.ts'
import { resolve } from '#/handlers/resolve.ts'
import { save } from '#/handlers/save.ts'
import { issuedAccessKeys } from '#/issued-access-key.ts'
import { tokenizer } from '#/outside/payments.ts'
import { createPasswords } from '#/password.ts'
import { applicationAccessKeys, operatorAccessKeys, restaurantAccessKeys } from '#/routes/access-keys.ts'
import { addAddress } from '#/routes/add-address.ts'
import { addCard } from '#/routes/add-card.ts'
import { listApplications } from '#/routes/applications.ts'
import { createApplication } from '#/routes/create-application.ts'
import { importedAccessKeys } from '#/routes/imported-access-keys.ts'
import { issueAccessKey } from '#/routes/issue-access-key.ts'
import { issueOperatorAccessKey } from '#/routes/issue-operator-access-key.ts'
import { issueRestaurantAccessKey } from '#/routes/issue-restaurant-access-key.ts'
import { registerUser } from '#/routes/register-user.ts'
import { removeAddress } from '#/routes/remove-address.ts'
import { removeCard } from '#/routes/remove-card.ts'
import { resolveAccessKey } from '#/routes/resolve-access-key.ts'
import { revokeAccessKey } from '#/routes/revoke-access-key.ts'
import { rotateAccessKey } from '#/routes/rotate-access-key.ts'
import { signin } from '#/routes/signin.ts'
import { updateUser } from '#/routes/update-user.ts'
import { getUser } from '#/routes/user.ts'
import { ensureOperatorKey } from '#/store/access-keys.ts'
import { postgresAddresses } from '#/store/addresses.ts'
import { postgresCards } from '#/store/cards.ts'
import type { TenantDb, Tables } from '#/store/tables.ts'
import { countTries } from '#/store/tries.ts'

const MIGRATIONS = join(import.meta.dirname, '../migrations')

export function wire(config: Config, log: Log): Parts {
  const secrets = internalSecrets(config)
  const app = createApp(log)
  readJson(app)

  const postgres = connectPostgres<Tables>(config.DATABASE_URL, config.DATABASE_POOL, log)
  const { db } = postgres
  const tenantDb: TenantDb = (applicationId) => postgres.as({ applicationId })
  const bus = new Bus({ url: config.AMQP_URL, queues: config.BUS_QUEUES, service: 'accounts', log })
  const payments = new Replicas(config.PAYMENTS_URL)
  const passwords = createPasswords(...config.PASSWORD_PEPPER)
  const accessKeys = issuedAccessKeys(secrets)
  const tries = countTries(config.REDIS_URL, triesPolicy(config), log)

  const route = router(app, secrets)
  route(RegisterUser, registerUser({ db, passwords, tries }))
  route(Signin, signin({ db, passwords, tries }))
  route(GetUser, getUser(tenantDb))
  route(UpdateUser, updateUser({ tenantDb, passwords }))
  route(AddCard, addCard({ tenantDb, cards: postgresCards, tokenize: tokenizer(payments, secrets) }))
  route(RemoveCard, removeCard({ tenantDb, cards: postgresCards }))
  route(AddAddress, addAddress({ tenantDb, addresses: postgresAddresses, bus }))
  route(RemoveAddress, removeAddress({ tenantDb, addresses: postgresAddresses }))
  route(Applications, listApplications(db))
  route(CreateApplication, createApplication(db))
  route(ApplicationAccessKeys, applicationAccessKeys(db))
  route(IssueAccessKey, issueAccessKey(db, accessKeys))
  route(RestaurantAccessKeys, restaurantAccessKeys(db))
  route(IssueRestaurantAccessKey, issueRestaurantAccessKey(db, accessKeys))
  route(OperatorAccessKeys, operatorAccessKeys(db))
  route(IssueOperatorAccessKey, issueOperatorAccessKey(db, accessKeys))
  route(RotateAccessKey, rotateAccessKey(db, accessKeys))
  route(RevokeAccessKey, revokeAccessKey(db))
  route(ImportedAccessKeys, importedAccessKeys(db))
  route(ResolveAccessKey, resolveAccessKey(db, log))

  bus.onQuestion(AccountsResolve, resolve(tenantDb))
  bus.onCommand(AccountsSave, save({ cards: postgresCards(db), addresses: postgresAddresses(db), bus }))

  const repeated: Repeater[] = []
  return {
    app,
    async start() {
      await migrate(db, MIGRATIONS, log)
      await checkTenantRole(tenantDb(''))
      if (config.OPERATOR_KEY_HASH !== undefined) await ensureOperatorKey(db, config.OPERATOR_KEY_HASH)
      await bus.start()
      repeated.push(repeat('forget old idempotency keys', 3_600_000, () => deleteExpiredKeys(db), log))
    },
    // Not Redis: without it each replica counts tries for itself, and nothing else is missing.
    checks: { postgres: () => postgres.check(), rabbitmq: () => bus.check() },
    quiesce: async () =>
      void (await Promise.all([bus.quiesce(), ...repeated.map((repeater) => repeater.stop())])),
    async close() {
      tries.close()
      await Promise.all([bus.close(), payments.close(), postgres.close()])
    },
  }
}

const triesPolicy = (config: Config) => ({
  perEmail: config.TRIES_PER_EMAIL,
  perAddress: config.TRIES_PER_ADDRESS,
  perApplication: config.TRIES_PER_APPLICATION,
  seconds: config.TRIES_SECONDS,
})
