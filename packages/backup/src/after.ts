import type { Client } from 'pg'
import { literal, rowsOf } from '#/database.ts'

/**
 * Order numbers to skip after a restore. Orders placed after the snapshot may have used them, and two receipts must not share a
 * number.
 */
const SKIPPED_NUMBERS = 10_000

/**
 * A saga that was under way may have moved money after the snapshot. The restored authorization is dated one day back, so the
 * payments service looks it up at the processor before any other call (KEY_LASTS_SECONDS in
 * services/payments/src/domain/authorization.ts). The processor may have deleted the idempotency key, and a repeated authorize call
 * would charge twice. A saga without an authorization may have sent one after the snapshot, so it receives a row.
 */
const UNKNOWN_PAYMENTS = `update payments.authorizations set created_at = created_at - interval '1 day' where state = 'sent';
insert into payments.authorizations (order_api_key, state, amount, token, created_at)
select o.api_key, 'sent', (s.facts ->> 'total')::integer, s.facts ->> 'token', o.placed_at - interval '1 day'
from orders.sagas s join orders.orders o on o.api_key = s.order_api_key
where s.finished_at is null and s.facts ->> 'token' is not null
on conflict (order_api_key) do nothing;`

/**
 * A pending refund without a row in payments may have been made after the snapshot. It receives a reserved row that is looked up.
 * Otherwise the refund would be made a second time, under a key that the processor may have deleted. A release refunds what is left.
 */
const UNKNOWN_REFUNDS = `with added as (
  insert into payments.refunds (api_key, order_api_key, amount, state, created_at)
  select refund ->> 'apiKey', a.order_api_key, (refund ->> 'amount')::integer, 'sent', now() - interval '1 day'
  from orders.sagas s
    join payments.authorizations a on a.order_api_key = s.order_api_key
    cross join jsonb_array_elements(s.state -> 'refunds') as refund
  where s.finished_at is null and a.state = 'captured' and a.release_requested_at is null
  on conflict (api_key) do nothing
  returning order_api_key, amount
)
update payments.authorizations a set refunded = a.refunded + reserved.amount
from (select order_api_key, sum(amount)::integer as amount from added group by order_api_key) as reserved
where a.order_api_key = reserved.order_api_key;`

/** Returns the SQL that ends a restore: it advances the sequences and marks unfinished payments for a lookup at the processor. */
export async function afterSql(client: Client, schemas: readonly string[]): Promise<string> {
  const sequences = await rowsOf<{ name: string; last: string }>(
    client,
    `select format('%I.%I', schemaname, sequencename) as name, last_value as last
     from pg_sequences where schemaname = any($1) and last_value is not null order by 1`,
    [schemas],
  )
  const settings = sequences.map(
    ({ name, last }) => `select setval(${literal(name)}, ${BigInt(last) + BigInt(SKIPPED_NUMBERS)});`,
  )
  return [...settings, ...(await paymentsSql(client, schemas)), ''].join('\n')
}

async function paymentsSql(client: Client, schemas: readonly string[]): Promise<string[]> {
  if (!['orders', 'payments'].every((name) => schemas.includes(name))) return []
  // A database of an earlier version has no refunds.
  const [found] = await rowsOf<{ has: boolean }>(
    client,
    `select to_regclass('payments.refunds') is not null as has`,
  )
  return found?.has ? [UNKNOWN_PAYMENTS, UNKNOWN_REFUNDS] : [UNKNOWN_PAYMENTS]
}
