import { withClient } from '../../dev/servers/database.ts'
import { ownStack } from './stack.ts'

/**
 * Changes rows without the services: a state that only a bug, or a person with a database console, could cause.
 */
export const plant = (text: string, ...values: unknown[]): Promise<number> =>
  withClient(ownStack().urls.postgres, async (client) => (await client.query(text, values)).rowCount ?? 0)

/** Resets a finished order to the state before its capture. No sweeper republishes it for an hour. */
const beforeCapture = (orderApiKey: string, deadline: string) =>
  plant(
    `update orders.sagas set state = jsonb_set(state, '{done}', '["authorize", "transmit"]'), finished_at = null,
       deadline_at = now() + $2::interval, wake_at = now() + interval '1 hour' where order_api_key = $1`,
    orderApiKey,
    deadline,
  )

/** Sets the age of an order and of its statuses. `age` is an interval of PostgreSQL. */
export const plantAge = (orderApiKey: string, age: string) =>
  plant(
    `with placed as (update orders.orders set placed_at = now() - $2::interval where api_key = $1)
     update orders.order_statuses set at = now() - $2::interval where order_api_key = $1`,
    orderApiKey,
    age,
  )

/** Sets the age of the cancellation notice of an order, and makes its next attempt due. `age` is an interval of PostgreSQL. */
export const plantNoticeAge = (orderApiKey: string, age: string) =>
  plant(
    `update orders.deliveries set cancel_at = now(), cancel_until = now() - $2::interval + interval '1 day'
     where order_api_key = $1`,
    orderApiKey,
    age,
  )

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
