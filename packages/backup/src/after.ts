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
  const payments = ['orders', 'payments'].every((name) => schemas.includes(name)) ? [UNKNOWN_PAYMENTS] : []
  return [...settings, ...payments, ''].join('\n')
}
