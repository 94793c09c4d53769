import { withClient } from '../../dev/servers/database.ts'

/*
 * Fills `orders` with the orders of a town over years. The server creates them. The n-th order of n = 1 to 10^7 is equal in every
 * run.
 */

export const LARGEST = 10_000_000
const RESTAURANTS = 1_000
const USERS = 500_000
/** 10^7 orders are three years. */
const SECONDS_APART = 10
/** The number of the newest orders, which restaurants are preparing. With many orders, it is the number of an evening. */
const openOf = (orders: number) => Math.min(400, orders / 200)

const key = (kind: string, n: string) => `md5('${kind}' || ${n}) || left(md5('${kind}' || ${n} || '.'), 16)`

/** The key of the n-th order. */
const ORDER = key('order', 'n')
/** The time of an order. The last of the 10^7 orders is from now. */
const AT = `date_trunc('second', now()) - (${LARGEST} - n) * interval '${SECONDS_APART} seconds'`

const ITEMS = `jsonb_build_array(
  jsonb_build_object('apiKey', left(md5('i' || n % 20000), 32), 'name', 'Garlic knots ' || n % 50, 'comments', null,
    'basePrice', 595, 'totalPrice', 695, 'customizationChoices', '[]'::jsonb),
  jsonb_build_object('apiKey', left(md5('j' || n % 20000), 32), 'name', 'Chicken korma', 'comments', 'not too hot',
    'basePrice', 1195, 'totalPrice', 1195, 'customizationChoices', '[]'::jsonb))`

/** Of 200 orders, 40 are paid in cash, 10 failed, 4 were cancelled, 2 refunded and 1 is a test. */
const insertOrders = (from: number, to: number) => `
  insert into orders (id, api_key, application_id, recipient_api_key, restaurant_api_key, placed_at, method, payment, test, total,
    status, payment_state, outcome, details, cancellation, refunds, refunded, ended_status, ended_payment_state, is_open, changed_bucket, changed_in)
  overriding system value
  select n, ${ORDER}, 'web', case when n % 5 < 3 then ${key('user', `n::int8 * 31 % ${USERS}`)} end,
    ${key('restaurant', `n::int8 * 7919 % ${RESTAURANTS}`)}, ${AT}, case when n % 2 = 0 then 'delivery' else 'pickup' end,
    case when n % 5 = 0 then 'cash' else 'card' end, n % 200 = 1, 2500,
    case when n % 50 = 3 then 'PREPARING' when n % 20 = 7 then 'PROCESSING' else 'DELIVERED' end,
    case when n % 200 = 1 then 'NOT_REQUIRED' when n % 5 = 0 then 'DUE' when n % 50 = 3 or n % 100 = 11 then 'REFUNDED'
      when n % 20 = 7 then 'VOIDED' else 'CHARGED' end,
    case when n % 20 = 7 then 'failed' else 'transmitted' end,
    jsonb_build_object('recipient', jsonb_build_object('firstName', 'Maria', 'lastName', 'Lindqvist',
        'phone', '(608) ' || left(lpad((n % 2000000)::text, 7, '2'), 3) || '-' || right(lpad((n % 2000000)::text, 7, '2'), 4),
        'email', case when n % 3 > 0 then 'Guest' || n % 1500000 || '@example.org' end),
      'items', ${ITEMS},
      'card', case when n % 5 > 0 then '{"type":"VISA","lastFour":"4242"}'::jsonb end,
      'address', case when n % 2 = 0 then jsonb_build_object('line1', n % 900 || ' Willow Street', 'city', 'Madison', 'state', 'WI', 'zip', '53703') end,
      'comments', null, 'subtotal', 1890, 'tax', 110, 'tip', 300, 'deliveryPrice', 200),
    case when n % 50 = 3 then '{"reason":"order-refused","message":"m","cancelledBy":"restaurant","date":1}'::jsonb end,
    case when n % 100 = 11 then '[{"apiKey":"r","amount":25,"state":"REFUNDED"}]'::jsonb end,
    case when n % 100 = 11 then 2500 else 0 end,
    case when n % 50 = 3 then 'PREPARING' when n % 100 = 11 then 'DELIVERED' end, case when n % 50 = 3 or n % 100 = 11 then 'REFUNDED' end,
    false, ((n - ${LARGEST})::int8 * 7) >> 14, '3'::xid8
  from generate_series(${from}, ${to}) as n`

const openTheNewest = (to: number) => `
  update orders set is_open = true, status = (array['AWAITING_PREPARATION', 'PREPARING'])[1 + id % 2]
  where id > ${to - openOf(to)} and outcome = 'transmitted' and cancellation is null`

/** Adds the orders `from` to `to`. */
export const fill = (url: string, { from, to }: { from: number; to: number }): Promise<void> =>
  withClient(url, async (client) => {
    for (const statement of [
      'set session_replication_role = replica',
      'set synchronous_commit = off',
      insertOrders(from, to),
      openTheNewest(to),
      `select setval(pg_get_serial_sequence('orders', 'id'), ${to})`,
      'vacuum (analyze, parallel 0) orders',
      'analyze',
    ])
      await client.query(statement)
  })
