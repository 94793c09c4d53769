import { newDatabase } from '@platter/testkit'
import type { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { afterSql } from '#/after.ts'
import { connect, rowsOf } from '#/database.ts'

/** The columns of orders and payments that the end of a restore needs. */
const TABLES = `
  create schema orders;
  create schema payments;
  create table orders.orders (api_key text primary key, placed_at timestamptz not null default now());
  create table orders.sagas (order_api_key text, facts jsonb, state jsonb, finished_at timestamptz);
  create table payments.authorizations (
    order_api_key text primary key, state text, amount integer, token text, created_at timestamptz default now(),
    release_requested_at timestamptz, refunded integer not null default 0);`
const REFUNDS = `
  create table payments.refunds (
    api_key text primary key, order_api_key text, amount integer, state text, created_at timestamptz default now());`

let client: Client

beforeAll(async () => {
  client = await connect(await newDatabase())
  await client.query(TABLES)
})
afterAll(() => client.end())

const endRestore = async () => client.query(await afterSql(client, ['orders', 'payments']))

/** An order in progress at the snapshot, with these pending refunds. */
async function addOrder(apiKey: string, refunds: readonly object[] = []): Promise<void> {
  await client.query(`insert into orders.orders values ($1)`, [apiKey])
  await client.query(`insert into orders.sagas values ($1, '{"total": 1000, "token": "t"}', $2)`, [
    apiKey,
    JSON.stringify({ refunds }),
  ])
}
const addPayment = (apiKey: string, state: string, refunded = 0) =>
  client.query(
    `insert into payments.authorizations (order_api_key, state, amount, token, refunded) values ($1, $2, 1000, 't', $3)`,
    [apiKey, state, refunded],
  )

const paymentsOf = (table: string) =>
  rowsOf(
    client,
    `select *, created_at < now() - interval '20 hours' as "isLookedUp" from payments.${table} order by 1`,
  )

test('an authorization that may have been sent after the snapshot is looked up, and a known one is not', async () => {
  await addOrder('o1')
  await addOrder('o2')
  await addPayment('o2', 'sent')
  await addOrder('o3')
  await addPayment('o3', 'captured')
  await endRestore()
  expect(await paymentsOf('authorizations')).toMatchObject([
    { order_api_key: 'o1', state: 'sent', amount: 1000, token: 't', isLookedUp: true },
    { order_api_key: 'o2', state: 'sent', isLookedUp: true },
    { order_api_key: 'o3', state: 'captured', isLookedUp: false },
  ])
})

test('a refund that may have been sent after the snapshot is reserved and looked up, not made again', async () => {
  await client.query(REFUNDS)
  await addOrder('o4', [
    { apiKey: 'f1', amount: 300 },
    { apiKey: 'f2', amount: 200 },
    { apiKey: 'f3', amount: 100 },
  ])
  await addPayment('o4', 'captured', 100)
  await client.query(`insert into payments.refunds values ('f3', 'o4', 100, 'sent')`)
  await endRestore()
  const refund = { order_api_key: 'o4', state: 'sent' }
  expect(await paymentsOf('refunds')).toMatchObject([
    { ...refund, api_key: 'f1', amount: 300, isLookedUp: true },
    { ...refund, api_key: 'f2', amount: 200, isLookedUp: true },
    { ...refund, api_key: 'f3', amount: 100, isLookedUp: false },
  ])
  expect((await paymentsOf('authorizations')).at(-1)).toMatchObject({ order_api_key: 'o4', refunded: 600 })
})

test('a pending refund of an order whose release is requested has no row, because the release refunds it', async () => {
  await addOrder('o5', [{ apiKey: 'f4', amount: 300 }])
  await addPayment('o5', 'captured')
  await client.query(
    `update payments.authorizations set release_requested_at = now() where order_api_key = 'o5'`,
  )
  await endRestore()
  expect(await paymentsOf('refunds')).toHaveLength(3)
})
