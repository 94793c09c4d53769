import { join } from 'node:path'
import { Bus } from '@platter/bus'
import {
  AccountsResolve,
  AccountsSave,
  AccountsSetCard,
  AddAddress,
  AddCard,
  ApplicationAccessKeys,
  Applications,
  CreateApplication,
  GetUser,
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
import { createApp, internalSecrets, readJson, Replicas, router, type Log, type Parts } from '@platter/kit'
import { deleteExpiredKeys } from '@platter/kit/idempotency/key-store'
import { schemaOwner } from '@platter/kit/lifecycle/schema-owner'
import { connectPostgres } from '@platter/kit/postgres/postgres'
import type { Config } from '#/config.ts'
import { resolve } from '#/handlers/resolve.ts'
import { save } from '#/handlers/save.ts'
import { currentCard } from '#/current-card.ts'
import { derivedAccessKeys } from '#/derived-access-keys.ts'
import { detachRemovedCards } from '#/detach-removed-cards.ts'
import { createPaymentsClient } from '#/outside/payments.ts'
import { createPasswords } from '#/password.ts'
import { addAddress } from '#/routes/add-address.ts'
import { addCard } from '#/routes/add-card.ts'
import { applicationAccessKeys } from '#/routes/application-access-keys.ts'
import { listApplications } from '#/routes/applications.ts'
import { createApplication } from '#/routes/create-application.ts'
import { issueAccessKey } from '#/routes/issue-access-key.ts'
import { issueOperatorAccessKey } from '#/routes/issue-operator-access-key.ts'
import { issueRestaurantAccessKey } from '#/routes/issue-restaurant-access-key.ts'
import { operatorAccessKeys } from '#/routes/operator-access-keys.ts'
import { registerUser } from '#/routes/register-user.ts'
import { removeAddress } from '#/routes/remove-address.ts'
import { removeCard } from '#/routes/remove-card.ts'
import { resolveAccessKey } from '#/routes/resolve-access-key.ts'
import { restaurantAccessKeys } from '#/routes/restaurant-access-keys.ts'
import { revokeAccessKey } from '#/routes/revoke-access-key.ts'
import { rotateAccessKey } from '#/routes/rotate-access-key.ts'
import { signin } from '#/routes/signin.ts'
import { updateUser } from '#/routes/update-user.ts'
import { getUser } from '#/routes/user.ts'
import { postgresAccessKeyRecords } from '#/store/access-key-records.ts'
import { postgresAccessKeys } from '#/store/access-keys.ts'
import { postgresAddresses } from '#/store/addresses.ts'
import { postgresApplications } from '#/store/applications.ts'
import { postgresCardDetachments } from '#/store/card-detachments.ts'
import { postgresCards } from '#/store/cards.ts'
import { postgresRecipients } from '#/store/recipients.ts'
import { redisCredentialAttempts } from '#/store/credential-attempts.ts'
import { postgresUsers } from '#/store/users.ts'

/** No client waits for a detachment. */
const DETACH_EVERY_MS = 10_000

const MIGRATIONS = join(import.meta.dirname, '../migrations')

export function wire(config: Config, log: Log): Parts {
  const secrets = internalSecrets(config)
  const app = createApp(log, { tlsDirectory: config.TLS_DIRECTORY })
  readJson(app)

  const postgres = connectPostgres(config.DATABASE_URL, config.DATABASE_POOL, log, {
    statements: config.DATABASE_STATEMENTS,
  })
  const { db } = postgres
  const bus = new Bus({ url: config.AMQP_URL, queues: config.BUS_QUEUES, service: 'accounts', log })
  const payments = new Replicas(config.PAYMENTS_URL)
  const { tokenize, detach, readCard } = createPaymentsClient(payments, secrets)
  const cards = postgresCards(db)
  const attempts = redisCredentialAttempts(config, log)

  const deps = {
    db,
    tenantDb: (applicationId: string) => postgres.as({ applicationId }),
    bus,
    log,
    users: postgresUsers,
    cards: postgresCards,
    addresses: postgresAddresses,
    recipients: postgresRecipients,
    applications: postgresApplications,
    accessKeys: postgresAccessKeys,
    accessKeyRecords: postgresAccessKeyRecords,
    derivedKeys: derivedAccessKeys(secrets),
    passwords: createPasswords(config.PASSWORD_PEPPER),
    attempts,
    tokenize,
    detach,
    detachments: postgresCardDetachments(db),
    currentCard: currentCard({ cards, readCard, log }),
  }
  const route = router(app, secrets)
  route(RegisterUser, registerUser(deps))
  route(Signin, signin(deps))
  route(GetUser, getUser(deps))
  route(UpdateUser, updateUser(deps))
  route(AddCard, addCard(deps))
  route(RemoveCard, removeCard(deps))
  route(AddAddress, addAddress(deps))
  route(RemoveAddress, removeAddress(deps))
  route(Applications, listApplications(deps))
  route(CreateApplication, createApplication(deps))
  route(ApplicationAccessKeys, applicationAccessKeys(deps))
  route(IssueAccessKey, issueAccessKey(deps))
  route(RestaurantAccessKeys, restaurantAccessKeys(deps))
  route(IssueRestaurantAccessKey, issueRestaurantAccessKey(deps))
  route(OperatorAccessKeys, operatorAccessKeys(deps))
  route(IssueOperatorAccessKey, issueOperatorAccessKey(deps))
  route(RotateAccessKey, rotateAccessKey(deps))
  route(RevokeAccessKey, revokeAccessKey(deps))
  route(ResolveAccessKey, resolveAccessKey(deps))

  bus.onQuestion(AccountsResolve, resolve(deps))
  bus.onCommand(AccountsSave, save({ bus, cards, addresses: postgresAddresses(db) }))

  // A lost message is harmless: the card is read again when its stored expiry has passed (`current-card.ts`).
  bus.onCommand(AccountsSetCard, ({ token, ...details }) => cards.setDetails(token, details))

  return schemaOwner(
    { app, log, postgres, bus, migrations: MIGRATIONS },
    {
      async afterMigrations() {
        if (config.OPERATOR_KEY_HASH !== undefined)
          await postgresAccessKeys(db).ensureOperatorKey(config.OPERATOR_KEY_HASH)
      },
      repeat(repeaters) {
        repeaters.repeat('detach removed cards', DETACH_EVERY_MS, () => detachRemovedCards(deps))
        repeaters.repeat('delete expired idempotency keys', 3_600_000, () => deleteExpiredKeys(db))
      },
      // Without Redis each replica counts attempts alone; all other functions work.
      connections: [attempts, payments],
    },
  )
}
