import { createLog, newApiKey, type Tenant, type Db } from '@platter/kit'
import { connectPostgres, type Postgres } from '@platter/kit/postgres/postgres'
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
  type CompiledQuery,
} from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { postgresCards } from '../../services/accounts/src/store/cards.ts'
import { postgresRecipients } from '../../services/accounts/src/store/recipients.ts'
import { postgresUsers } from '../../services/accounts/src/store/users.ts'
import { PostgresOrders } from '../../services/orders/src/store/orders.ts'
import { servicesDatabase, type ServicesDatabase } from './services-database.ts'

/*
 * Row-level security is the second check below the filters of the stores (docs/decisions/0020-row-level-security.md). These
 * tests omit the filters. Each of two applications has a user with a card and an address, and an order.
 */

let database: ServicesDatabase
let accounts: Postgres
let ordering: Postgres

const [mine, theirs] = [newApiKey(), newApiKey()]
const userOf = (application: string) => `user of ${application}`
const orderOf = (application: string) => `order of ${application}`

beforeAll(async () => {
  database = await servicesDatabase(['accounts', 'orders'])
  accounts = database.connect('accounts', 1)
  ordering = database.connect('orders', 1)
  for (const application of [mine, theirs]) {
    const [user, order, key] = [userOf(application), orderOf(application), `key of ${application}`]
    await sql`insert into applications (id, name) values (${application}, 'an app')`.execute(accounts.db)
    await sql`insert into access_keys (id, hash, kind, application_id) values (${key}, ${key}, 'application', ${application})`.execute(
      accounts.db,
    )
    await sql`insert into users (api_key, email, password_hash, first_name, last_name, phone)
      values (${user}, ${user}, 'none', 'Maria', 'Lindqvist', '608-555-0142')`.execute(accounts.db)
    await sql`insert into user_applications values (${user}, ${application})`.execute(accounts.db)
    await postgresCards(accounts.db).save(user, cardOf(application))
    await sql`insert into addresses (api_key, user_api_key, street_address, city, state, zip)
      values (${`address of ${application}`}, ${user}, '2 E Main St', 'Madison', 'WI', '53703')`.execute(
      accounts.db,
    )
    await sql`insert into idempotency_keys (access_key_id, path, key, fingerprint) values (${key}, 'p', 'k', 'f')`.execute(
      accounts.db,
    )
    await anOrder(order, application, user)
    await sql`insert into idempotency_keys (access_key_id, path, key, fingerprint, order_api_key, busy_until)
      values (${key}, 'p', 'k', 'f', ${order}, now())`.execute(ordering.db)
  }
})

afterAll(() => database.close())

async function anOrder(apiKey: string, application: string, user: string | null) {
  await sql`insert into orders (api_key, application_id, recipient_api_key, restaurant_api_key, method, payment, test,
      total, status, payment_state, details)
    values (${apiKey}, ${application}, ${user}, 'r', 'pickup', 'cash', false, 1075, 'PROCESSING', 'DUE', '{}')`.execute(
    ordering.db,
  )
  await sql`insert into order_statuses (order_api_key, position, status) values (${apiKey}, 0, 'PROCESSING')`.execute(
    ordering.db,
  )
}

const cardOf = (application: string) => ({
  apiKey: `card of ${application}`,
  token: 'tok',
  nickname: null,
  cardholderName: 'Maria Lindqvist',
  cardholderStreetAddress: '2 E Main St',
  cardholderZip: '53703',
  lastFour: '4242',
  expirationMonth: '09',
  expirationYear: '31',
  brand: 'visa',
})

/** Returns all rows of a table that a role sees, without any filter. */
const allOf = async (db: Db, table: string): Promise<string> =>
  JSON.stringify((await sql`select * from ${sql.table(table)}`.execute(db)).rows)

const postgresOf = (service: string) => (service === 'accounts' ? accounts : ordering)

/** Objects of each application, with a text that only its rows contain. */
const OWN = [
  ['accounts', 'users'],
  ['accounts', 'user_applications'],
  ['accounts', 'cards'],
  ['accounts', 'addresses'],
  ['accounts', 'access_keys'],
  ['accounts', 'idempotency_keys'],
  ['orders', 'orders'],
  ['orders', 'order_statuses'],
  ['orders', 'idempotency_keys'],
] as const

const unknownTenants: readonly [string, Tenant][] = [
  ['an empty applicationId', { applicationId: '' }],
  ['an unknown applicationId', { applicationId: newApiKey() }],
]

test.each(OWN)(
  'a query of %s.%s without its filter finds rows of the application only',
  async (service, table) => {
    const { db, as } = postgresOf(service)
    const everything = await allOf(db, table)
    for (const [one, other] of [
      [mine, theirs],
      [theirs, mine],
    ] as const) {
      const found = await allOf(as({ applicationId: one }), table)
      expect(everything).toContain(other)
      expect(found).toContain(one)
      expect(found).not.toContain(other)
    }
  },
)

test.each(unknownTenants)('every table of accounts and orders is empty for %s', async (_, caller) => {
  for (const service of ['accounts', 'orders']) {
    const { as } = postgresOf(service)
    for (const table of await tablesOf(service))
      expect([table, await allOf(as(caller), table)]).toEqual([table, '[]'])
  }
})

test('the client role without a tenant sees no order', async () => {
  await ordering.db.transaction().execute(async (trx) => {
    await sql`select set_config('role', session_user || '_client', true)`.execute(trx)
    expect(await allOf(trx as unknown as Db, 'orders')).toBe('[]')
  })
})

test('an application sees an order of another one only with the userApiKey of its recipient', async () => {
  const rows = ordering.as({ applicationId: mine, userApiKey: userOf(theirs) })
  const { orders: found } = await new PostgresOrders(rows).ofRecipient(userOf(theirs), {
    before: null,
    limit: 9,
  })
  expect(found.map(apiKeyOf)).toEqual([orderOf(theirs)])
  expect(await new PostgresOrders(rows).statuses(orderOf(theirs))).toHaveLength(1)
  const without = ordering.as({ applicationId: mine })
  expect(await new PostgresOrders(without).ofRecipient(userOf(theirs), { before: null, limit: 9 })).toEqual({
    orders: [],
    hasMore: false,
  })
  expect(await new PostgresOrders(without).find(orderOf(theirs))).toBeNull()
})

const apiKeyOf = ({ apiKey }: { apiKey: string }) => apiKey

const forbidden: readonly [string, string, (db: Db) => Promise<unknown>][] = [
  [
    'a card for a user of another application',
    'accounts',
    (db) =>
      sql`insert into cards (api_key, user_api_key, token, brand, last_four, cardholder_name, cardholder_street_address,
          cardholder_zip, expiration_month, expiration_year)
        values ('c', ${userOf(theirs)}, 't', 'visa', '4242', 'n', 's', '53703', '09', '31')`.execute(db),
  ],
  [
    'an address for a user of another application',
    'accounts',
    (db) =>
      sql`insert into addresses (api_key, user_api_key, street_address, city, state, zip)
        values ('a', ${userOf(theirs)}, 's', 'c', 'WI', '53703')`.execute(db),
  ],
  [
    'a card of its own under a user of another application',
    'accounts',
    (db) => sql`update cards set user_api_key = ${userOf(theirs)}`.execute(db),
  ],
  [
    'a user without an application',
    'accounts',
    (db) =>
      sql`insert into users (api_key, email, password_hash, first_name, last_name, phone)
        values ('u', 'e', 'h', 'f', 'l', 'p')`.execute(db),
  ],
  [
    'a user of another application as its own',
    'accounts',
    (db) => sql`insert into user_applications values (${userOf(theirs)}, ${mine})`.execute(db),
  ],
  [
    'an idempotency key of another access key',
    'accounts',
    (db) =>
      sql`insert into idempotency_keys (access_key_id, path, key, fingerprint)
        values (${`key of ${theirs}`}, 'p', 'k2', 'f')`.execute(db),
  ],
  [
    'an order of its own',
    'orders',
    (db) =>
      sql`insert into orders (api_key, application_id, restaurant_api_key, method, payment, test, total, status, payment_state, details)
        values ('o', ${mine}, 'r', 'pickup', 'cash', false, 1, 'PROCESSING', 'DUE', '{}')`.execute(db),
  ],
]

test.each(forbidden)('an application cannot store %s', async (_, service, write) => {
  await expect(write(postgresOf(service).as({ applicationId: mine }))).rejects.toThrow('row-level security')
})

test('an update or delete without its filter leaves the rows of another application unchanged', async () => {
  const { db, as } = accounts
  const own = as({ applicationId: mine })
  const changed = (await sql`update users set first_name = 'Mallory' returning api_key`.execute(own)).rows
  expect(changed).toEqual([{ api_key: userOf(mine) }])
  await sql`update cards set nickname = 'mine now'`.execute(own)
  await sql`update addresses set city = 'mine now'`.execute(own)
  await sql`delete from cards`.execute(own)
  await sql`delete from users`.execute(own)
  const user = await postgresUsers(db).find({ userApiKey: userOf(theirs), applicationId: theirs })
  expect(user).toMatchObject({
    firstName: 'Maria',
    creditCards: [{ nickname: null }],
    savedAddresses: [{ city: 'Madison' }],
  })
  for (const statement of [sql`update orders set total = 0`, sql`delete from order_statuses`])
    expect((await statement.execute(ordering.as({ applicationId: mine }))).numAffectedRows).toBe(0n)
})

/** Returns the orders that the connection sees. */
const ordersOf = async (db: Db) =>
  (await sql<{ application_id: string }>`select api_key, application_id from orders`.execute(db)).rows

test('a connection keeps no tenant after a statement, also after an error and in a transaction', async () => {
  const { db, as } = ordering
  const own = as({ applicationId: mine })
  const countOrders = async () => (await ordersOf(db)).length
  await ordersOf(own)
  expect(await countOrders()).toBe(2)
  await expect(sql`select 1 / 0`.execute(own)).rejects.toThrow('division')
  expect(await countOrders()).toBe(2)
  await own.transaction().execute(async (trx) => {
    expect(await ordersOf(trx)).toHaveLength(1)
  })
  await expect(own.transaction().execute((trx) => sql`select 1 / 0`.execute(trx))).rejects.toThrow('division')
  expect(await countOrders()).toBe(2)
})

test('an invalid statement fails at each repetition, and does not affect the next statement', async () => {
  const { as } = database.connect('orders', 1)
  const own = as({ applicationId: mine })
  for (let time = 0; time < 3; time++) {
    const wrong = sql`select nothing from orders where api_key = ${'a'}`
    const failed = own.transaction().execute((trx) => wrong.execute(trx))
    await expect(failed).rejects.toThrow('column "nothing" does not exist')
    expect(await ordersOf(own)).toHaveLength(1)
  }
})

test('an application reads its rows after a migration has added a column', async () => {
  const own = database.connect('orders', 1).as({ applicationId: mine })
  const read = async () =>
    (await sql`select * from orders where api_key = ${orderOf(mine)}`.execute(own)).rows
  await read()
  await sql`alter table orders add column added int`.execute(ordering.db)
  expect(await read()).toMatchObject([{ api_key: orderOf(mine), added: null }])
})

test('every statement fails without the client role, and works as soon as the role is granted', async () => {
  const role = sql.id(`${database.role('orders')}_client`)
  const login = sql.id(database.role('orders'))
  const superuser = connectPostgres(database.url, 1, createLog('test', 'silent'))
  const { as, checkRole } = database.connect('orders', 1)
  const own = as({ applicationId: mine })
  const read = () => ordersOf(own)
  await checkRole()
  await sql`revoke ${role} from ${login}`.execute(superuser.db)
  await expect(checkRole()).rejects.toThrow(`role ${database.role('orders')}_client`)
  // Until the connection closes, the error is that of the statement.
  await expect(read()).rejects.toThrow(/permission denied to set role|[Cc]onnection/)
  await sql`grant ${role} to ${login}`.execute(superuser.db)
  await expect.poll(read).toHaveLength(1)
  await superuser.close()
})

test('concurrent applications on shared connections read their own rows only', async () => {
  const { as } = database.connect('orders', 3)
  // Two readers for each connection. More would wait longer for one than the pool allows, on a slow machine.
  const readers = Array.from({ length: 6 }, async (_, reader) => {
    for (let read = 0; read < 50; read += 1) {
      const applicationId = (reader + read) % 2 === 0 ? mine : theirs
      expect(await ordersOf(as({ applicationId }))).toMatchObject([{ application_id: applicationId }])
    }
  })
  await Promise.all(readers)
})

test('every read of the stores uses an index under the policies', async () => {
  await sql`insert into orders (api_key, application_id, recipient_api_key, restaurant_api_key, method, payment, test, total, status, payment_state, details)
    select 'o' || n, 'a' || n % 10, 'u' || n % 100, 'r', 'pickup', 'cash', false, 1, 'PROCESSING', 'DUE', '{}' from generate_series(1, 5000) n`.execute(
    ordering.db,
  )
  await sql`insert into order_statuses (order_api_key, position, status) select 'o' || n, 0, 'PROCESSING' from generate_series(1, 5000) n`.execute(
    ordering.db,
  )
  await sql`analyze orders, order_statuses`.execute(ordering.db)
  await sql`insert into users (api_key, email, password_hash, first_name, last_name, phone)
    select 'u' || n, 'u' || n, 'h', 'f', 'l', 'p' from generate_series(1, 5000) n`.execute(accounts.db)
  await sql`insert into user_applications select 'u' || n, ${mine} from generate_series(1, 5000) n`.execute(
    accounts.db,
  )
  await sql`insert into cards (api_key, user_api_key, token, brand, last_four, cardholder_name, cardholder_street_address, cardholder_zip, expiration_month, expiration_year)
    select 'c' || n, 'u' || n, '', '', '', '', '', '', '', '' from generate_series(1, 5000) n`.execute(
    accounts.db,
  )
  await sql`insert into addresses (api_key, user_api_key, street_address, city, state, zip)
    select 'd' || n, 'u' || n, '', '', '', '' from generate_series(1, 5000) n`.execute(accounts.db)
  await sql`analyze users, user_applications, cards, addresses`.execute(accounts.db)
  const owner = { userApiKey: 'u7', applicationId: mine }
  const ofOrders = await plans(ordering, (db) => [
    new PostgresOrders(db).find('o7'),
    new PostgresOrders(db).statuses('o7'),
    new PostgresOrders(db).ofRecipient('u7', { before: 9, limit: 20 }),
  ])
  const ofAccounts = await plans(accounts, (db) => [
    postgresUsers(db).find(owner),
    postgresRecipients(db).find(owner, {
      cardApiKey: 'c7',
      addressApiKey: 'd7',
      newCard: null,
      newAddress: null,
    }),
  ])
  for (const plan of [...ofOrders, ...ofAccounts]) {
    expect(plan).toContain('Index')
    expect(plan).not.toContain('Seq Scan')
  }
})

/** Returns the plans of PostgreSQL for the statements of the stores, for an application. */
async function plans({ as }: Postgres, run: (db: Db) => readonly Promise<unknown>[]): Promise<string[]> {
  const queries: CompiledQuery[] = []
  const recorder = new Kysely<unknown>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    log: ({ query }) => void queries.push(query),
  })
  await Promise.all(run(recorder))
  const own = as({ applicationId: mine })
  return Promise.all(
    queries.map(async ({ sql: text, parameters }) => {
      const explained = { ...sql`select`.compile(own), sql: `explain (costs off) ${text}`, parameters }
      return JSON.stringify((await own.executeQuery(explained)).rows)
    }),
  )
}

const tablesOf = async (service: string): Promise<string[]> =>
  (
    await sql<{ relname: string }>`select relname from pg_class
      where relnamespace = ${database.role(service)}::regnamespace and relkind in ('r', 'p')`.execute(
      postgresOf(service).db,
    )
  ).rows.map(({ relname }) => relname)
