import { withClient } from '../../dev/servers/database.ts'
import { ownStack } from './stack.ts'

/**
 * Changes rows without the services: a state that only a bug, or a person with a database console, could cause.
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

/** A state of the rows of a transmitted order, the rule that must find it, and the payment method of the order. */
type PlantedMismatch = readonly [
  rule: string,
  what: string,
  paidBy: 'card' | 'cash',
  plant: (orderApiKey: string) => Promise<unknown>,
]

const row = (set: string) => (key: string) =>
  plant(`update payments.authorizations set ${set} where order_api_key = $1`, key)
const order = (set: string) => (key: string) =>
  plant(`update orders.orders set ${set} where api_key = $1`, key)
const withoutRow = (key: string) => plant('delete from payments.authorizations where order_api_key = $1', key)

const withoutAnything = async (key: string) => {
  await forgetOrder(key)
  await withoutRow(key)
}
const withoutDelivery = (key: string) =>
  plant('update orders.deliveries set outcome = null where order_api_key = $1', key)

export const PLANTED_MISMATCHES: readonly PlantedMismatch[] = [
  [
    'charge-missing',
    'nothing was ever charged',
    'cash',
    order(`payment = 'card', payment_state = 'CHARGED'`),
  ],
  ['charge-amount', 'the total is another one', 'card', order('total = total + 100')],
  [
    'charge-unwanted',
    'cancelled, and still charged',
    'card',
    order(`cancellation = '${JSON.stringify(CANCELLATION)}'`),
  ],
  ['charge-unwanted', 'paid in cash, and charged', 'card', order(`payment = 'cash', payment_state = 'DUE'`)],
  ['charge-of-test-order', 'a test, and charged', 'card', order('test = true')],
  ['payment-state', 'payments have no row', 'card', withoutRow],
  ['payment-state', 'payments has authorized', 'card', row(`state = 'authorized'`)],
  ['payment-state', 'the order is VOIDED', 'card', order(`payment_state = 'VOIDED'`)],
  ['payment-unknown-to-processor', 'another charge', 'card', row(`processor_id = 'auth_nobody'`)],
  ['payment-of-nobody', 'the order was deleted', 'card', forgetOrder],
  ['charge-of-nobody', 'order and payment were deleted', 'card', withoutAnything],
  ['delivery-missing', 'no restaurant has it', 'cash', withoutDelivery],
  ['delivery-unwanted', 'failed, and accepted', 'cash', order(`outcome = 'failed'`)],
]

/** Locks the row first, because the restaurant may report at the same time, and each status inserts another row. */
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

/** Resets a finished order to the state before its capture. No sweeper republishes it for an hour. */
const beforeCapture = (orderApiKey: string, deadline: string) =>
  plant(
    `update orders.sagas set state = jsonb_set(state, '{done}', '["authorize", "transmit"]'), finished_at = null,
       deadline_at = now() + $2::interval, wake_at = now() + interval '1 hour' where order_api_key = $1`,
    orderApiKey,
    deadline,
  )

/** Sets the age of an order. `age` is an interval of PostgreSQL. */
export const plantAge = (orderApiKey: string, age: string) =>
  plant('update orders.orders set placed_at = now() - $2::interval where api_key = $1', orderApiKey, age)

/** Moves the deadline of an order into the past. */
export const plantOverdue = (orderApiKey: string) => beforeCapture(orderApiKey, '-1 second')

/** Plants an unknown result of a capture, an hour ago. */
export async function plantUnknown(orderApiKey: string): Promise<void> {
  await beforeCapture(orderApiKey, '1 hour')
  await plant(
    `update payments.authorizations set state = 'authorized', unknown_call = 'capture', unknown_reason = 'ECONNRESET',
       unknown_answers = 3, unknown_since = now() - interval '1 hour' where order_api_key = $1`,
    orderApiKey,
  )
}

/** Plants a dead letter of a command that this version does not have. Returns its key. */
export async function plantDeadLetter(): Promise<string> {
  const id = crypto.randomUUID()
  await plant(
    `insert into orders.dead_letters (id, command, content, request_id, reason) values ($1, 'restaurants.transmit', '', 'r', 'x')`,
    id,
  )
  return id
}
