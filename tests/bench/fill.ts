import type pg from 'pg'

/*
 * Fills a database with copies of existing rows. The server creates the copies without network transfer, so this is faster than
 * COPY. Each statement copies entire rows, so a new column needs no change here. Foreign keys and triggers are off
 * (session_replication_role).
 */

type Amounts = {
  orders: number
  /** The restaurants that share the orders, including the restaurant of the copied order. */
  restaurants: number
  users: number
}

const ITEMS = 20

/** The `n`th apiKey of a kind: 48 hexadecimal characters, like those of the services. */
const key = (kind: string, n: string) => `md5('${kind}' || ${n}) || left(md5('${kind}' || ${n} || '.'), 16)`

/** The rows are one second apart, and the newest is from now. */
const age = (count: number) => `(now() - (${count} - n) * interval '1 second')`

type Statement = string | ((client: pg.PoolClient) => Promise<string>)

/** Inserts a copy of the `template` row for every `n` up to `count`, with changed columns. */
const copies =
  (table: string, template: string, count: number, changes: Record<string, string>): Statement =>
  async (client) => {
    const { rows } = await client.query<{ name: string; type: string }>(
      `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
       where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
      [table],
    )
    const names = rows.map(({ name }) => `"${name}"`)
    const values = rows.map(({ name, type }) => `(${changes[name] ?? `template."${name}"`})::${type}`)
    return `
      insert into ${table} (${names.join(', ')}) overriding system value select ${values.join(', ')}
      from (select * from ${table} ${template} limit 1) as template cross join generate_series(1, ${count}) as n`
  }

/** Inserts delivered orders with their rows in all tables, spread over restaurants and users. */
export async function fillOrders(
  database: pg.Pool,
  schema: string,
  { orders: count, restaurants, users }: Amounts,
): Promise<void> {
  const order = key('order', 'n')
  const at = age(count)
  const transmitted = `where outcome = 'transmitted'`
  await withoutTriggers(database, [
    copies(`${schema}.orders`, transmitted, count, {
      api_key: order,
      id: `nextval(pg_get_serial_sequence('${schema}.orders', 'id'))`,
      recipient_api_key: key('user', `(n % ${users})`),
      restaurant_api_key: `case when n % ${restaurants} = 0 then template.restaurant_api_key else ${key('restaurant', `(n % ${restaurants})`)} end`,
      placed_at: at,
      status: `'DELIVERED'`,
      is_open: 'false',
    }),
    `insert into ${schema}.order_statuses (order_api_key, position, status, at)
     select ${order}, position, (array['PROCESSING','AWAITING_PREPARATION','PREPARING','DELIVERED'])[position + 1], ${at}
     from generate_series(1, ${count}) as n cross join generate_series(0, 3) as position`,
    copies(`${schema}.sagas`, '', count, {
      order_api_key: order,
      wake_at: at,
      deadline_at: at,
      finished_at: at,
    }),
    copies(`${schema}.deliveries`, '', count, {
      order_api_key: order,
      outcome: `'accepted'`,
      busy_until: at,
      deadline_at: at,
      cancel_at: 'null',
      cancel_until: 'null',
    }),
    // Rows are stored for seven days. One of five clients sends a key.
    `insert into ${schema}.idempotency_keys (access_key_id, path, key, fingerprint, order_api_key, busy_until, status, body, created_at)
     select 'bench', '/publicapi/v1/send-order', 'key' || n, md5(n::text), ${order}, ${at}, 200, template.details::text, ${at}
     from (select * from ${schema}.orders ${transmitted} limit 1) as template cross join generate_series(1, ${Math.ceil(count / 5)}) as n`,
  ])
}

/** Inserts captured charges of these orders. */
export const fillAuthorizations = (database: pg.Pool, schema: string, count: number): Promise<void> =>
  withoutTriggers(database, [
    copies(`${schema}.authorizations`, `where state = 'captured'`, count, {
      order_api_key: key('order', 'n'),
      processor_id: `'processor-' || n`,
      created_at: age(count),
      updated_at: age(count),
    }),
  ])

/**
 * Inserts restaurants across the entire country. Each has a zone around it, a category and twenty items, copied from the restaurant
 * `like`.
 */
export async function fillRestaurants(
  database: pg.Pool,
  schema: string,
  { count, like }: { count: number; like: string },
): Promise<void> {
  const own = key('restaurant', 'n')
  const ofLike = `where restaurant_api_key = '${like}'`
  // A low-discrepancy sequence: the spread is even, and equal in every run.
  const latitude = `(30 + 15 * (n * 0.7548776662 % 1))`
  const longitude = `(-120 + 40 * (n * 0.5698402910 % 1))`
  const nth = `(1 + (n - 1) / ${ITEMS})`
  await withoutTriggers(database, [
    copies(`${schema}.restaurants`, `where api_key = '${like}'`, count, {
      api_key: own,
      latitude,
      longitude,
      name: `'Restaurant ' || n`,
    }),
    copies(`${schema}.delivery_zones`, ofLike, count, {
      api_key: key('zone', 'n'),
      restaurant_api_key: own,
      position: '0',
      zips: 'null',
      polygon: 'null',
      hole: 'null',
      max_radius_miles: '3',
      bounds: `format('(%s,%s),(%s,%s)', ${longitude} + 0.06, ${latitude} + 0.05, ${longitude} - 0.06, ${latitude} - 0.05)`,
    }),
    copies(`${schema}.menu_categories`, ofLike, count, {
      api_key: key('category', 'n'),
      restaurant_api_key: own,
      position: '0',
    }),
    copies(`${schema}.menu_items`, ofLike, count * ITEMS, {
      api_key: key('item', 'n'),
      restaurant_api_key: key('restaurant', nth),
      category_api_key: key('category', nth),
      position: `(n - 1) % ${ITEMS}`,
    }),
  ])
}

async function withoutTriggers(database: pg.Pool, statements: readonly Statement[]): Promise<void> {
  const client = await database.connect()
  try {
    await client.query(`set session_replication_role = replica`)
    for (const statement of statements)
      await client.query(typeof statement === 'string' ? statement : await statement(client))
    await client.query('vacuum analyze')
  } finally {
    // Closes the session: in the pool, it would keep session_replication_role, also after a failed statement.
    client.release(true)
  }
}
