import { withClient } from '../../dev/servers/database.ts'
import { ownStack } from './stack.ts'

/**
 * Changes rows without the services: a state that only a bug, or a person with a database
 * console, could do. The one file of the end-to-end tests that speaks SQL.
 */
export const plant = (text: string, ...values: unknown[]): Promise<number> =>
  withClient(ownStack().urls.postgres, async (client) => (await client.query(text, values)).rowCount ?? 0)

const CANCELLATION = {
  reason: 'order-refused',
  message: 'Planted.',
  cancelledBy: 'operator',
  date: 1_795_200_000,
  refund: { amount: 0, state: 'VOIDED' },
}

type Wrong = {
  rule: string
  what: string
  paidBy: 'card' | 'cash'
  plant: (orderApiKey: string) => Promise<unknown>
}

const row = (set: string) => (key: string) =>
  plant(`update payments.authorizations set ${set} where order_api_key = $1`, key)
const order = (set: string) => (key: string) =>
  plant(`update orders.orders set ${set} where api_key = $1`, key)
const withoutRow = (key: string) => plant('delete from payments.authorizations where order_api_key = $1', key)

/** What can be wrong with the rows of a transmitted order, and the rule that has to see it. */
export const WRONGS: readonly Wrong[] = [
  {
    rule: 'charge-missing',
    what: 'nothing was ever charged',
    paidBy: 'cash',
    plant: order(`payment = 'card', payment_state = 'CHARGED'`),
  },
  {
    rule: 'charge-amount',
    what: 'the total is another one',
    paidBy: 'card',
    plant: order('total = total + 100'),
  },
  {
    rule: 'charge-unwanted',
    what: 'cancelled, and still charged',
    paidBy: 'card',
    plant: order(`cancellation = '${JSON.stringify(CANCELLATION)}'`),
  },
  {
    rule: 'charge-unwanted',
    what: 'paid in cash, and charged',
    paidBy: 'card',
    plant: order(`payment = 'cash', payment_state = 'DUE'`),
  },
  { rule: 'charge-of-test-order', what: 'a test, and charged', paidBy: 'card', plant: order('test = true') },
  { rule: 'payment-state', what: 'payments have no row', paidBy: 'card', plant: withoutRow },
  {
    rule: 'payment-state',
    what: 'payments say authorized',
    paidBy: 'card',
    plant: row(`state = 'authorized'`),
  },
  {
    rule: 'payment-state',
    what: 'the order says voided',
    paidBy: 'card',
    plant: order(`payment_state = 'VOIDED'`),
  },
  {
    rule: 'payment-unknown-to-processor',
    what: 'another charge',
    paidBy: 'card',
    plant: row(`processor_id = 'auth_nobody'`),
  },
  { rule: 'payment-of-nobody', what: 'the order was deleted', paidBy: 'card', plant: forgetOrder },
  {
    rule: 'charge-of-nobody',
    what: 'order and payment were deleted',
    paidBy: 'card',
    plant: async (key) => {
      await forgetOrder(key)
      await withoutRow(key)
    },
  },
  {
    rule: 'delivery-missing',
    what: 'no restaurant has it',
    paidBy: 'cash',
    plant: (key) => plant('update orders.deliveries set outcome = null where order_api_key = $1', key),
  },
  {
    rule: 'delivery-unwanted',
    what: 'failed, and accepted',
    paidBy: 'cash',
    plant: order(`outcome = 'failed'`),
  },
]

/** Its row is locked first: the restaurant may report meanwhile, and each status inserts another row. */
async function forgetOrder(orderApiKey: string): Promise<void> {
  await withClient(ownStack().urls.postgres, async (client) => {
    await client.query('begin')
    await client.query('select from orders.orders where api_key = $1 for update', [orderApiKey])
    for (const table of ['idempotency_keys', 'deliveries', 'sagas', 'order_statuses'])
      await client.query(`delete from orders.${table} where order_api_key = $1`, [orderApiKey])
    await client.query('delete from orders.orders where api_key = $1', [orderApiKey])
    await client.query('commit')
  })
}

/** Sets a finished order back to before its capture; no sweeper republishes it for an hour. */
const beforeCapture = (orderApiKey: string, deadline: string) =>
  plant(
    `update orders.sagas set state = jsonb_set(state, '{done}', '["authorize", "transmit"]'), finished_at = null,
       deadline_at = now() + $2::interval, wake_at = now() + interval '1 hour' where order_api_key = $1`,
    orderApiKey,
    deadline,
  )

/** An order was placed so long ago, in words of PostgreSQL. */
export const plantAge = (orderApiKey: string, age: string) =>
  plant('update orders.orders set placed_at = now() - $2::interval where api_key = $1', orderApiKey, age)

/** An order is past its deadline. */
export const plantOverdue = (orderApiKey: string) => beforeCapture(orderApiKey, '-1 second')

/** The answer to a capture was lost, an hour ago. */
export async function plantUnknown(orderApiKey: string): Promise<void> {
  await beforeCapture(orderApiKey, '1 hour')
  await plant(
    `update payments.authorizations set state = 'authorized', unknown_call = 'capture', unknown_reason = 'ECONNRESET',
       unknown_answers = 3, unknown_since = now() - interval '1 hour' where order_api_key = $1`,
    orderApiKey,
  )
}
