import type pg from 'pg'

/*
 * Many rows fast: copies of rows that are there, made by the server itself, which no COPY can outdo because nothing is
 * sent. Whole rows, so that a new column needs nothing here. Foreign keys and triggers are not
 * asked (session_replication_role): what is made fits together.
 */

export type Amounts = {
  orders: number
  /** That the orders are spread over; the one whose order is copied is among them. */
  restaurants: number
  users: number
}

/** The `n`th key of a kind: 48 hexadecimal characters, as ours are. */
const key = (kind: string, n: string) => `md5('${kind}' || ${n}) || left(md5('${kind}' || ${n} || '.'), 16)`

type Copies = { changes: Record<string, string>; count: number }

/** Rows that are `template` but for some columns, for every `n` of a series up to `count`. */
const copies =
  (into: string, template: string, { changes, count }: Copies) =>
  async (client: pg.PoolClient): Promise<string> => {
    const { rows } = await client.query<{ name: string; type: string }>(
      `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
       where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
      [into],
    )
    const names = rows.map(({ name }) => `"${name}"`)
    const values = rows.map(({ name, type }) => `(${changes[name] ?? `template."${name}"`})::${type}`)
    return `
      insert into ${into} (${names.join(', ')}) overriding system value select ${values.join(', ')}
      from (${template} limit 1) as template cross join generate_series(1, ${count}) as n`
  }

/** A statement a second apart, the newest now. */
const age = (count: number) => `(now() - (${count} - n) * interval '1 second')`

/** Orders that were delivered long ago, each with everything that is kept of one, spread over restaurants and users. */
export async function fillOrders(database: pg.Pool, schema: string, amounts: Amounts): Promise<void> {
  const { orders: count, restaurants, users } = amounts
  const table = (name: string) => `${schema}.${name}`
  const order = key('order', 'n')
  const template = `select * from ${table('orders')} where outcome = 'transmitted'`
  const at = age(count)
  const statements = [
    copies(table('orders'), template, {
      count,
      changes: {
        api_key: order,
        id: `nextval(pg_get_serial_sequence('${table('orders')}', 'id'))`,
        recipient_api_key: key('user', `(n % ${users})`),
        restaurant_api_key: `case when n % ${restaurants} = 0 then template.restaurant_api_key else ${key('restaurant', `(n % ${restaurants})`)} end`,
        placed_at: at,
        status: `'DELIVERED'`,
        is_open: 'false',
      },
    }),
    `insert into ${table('order_statuses')} (order_api_key, position, status, at)
     select ${order}, position, (array['PROCESSING','AWAITING_PREPARATION','PREPARING','DELIVERED'])[position + 1], ${at}
     from generate_series(1, ${count}) as n cross join generate_series(0, 3) as position`,
    ofOrders('sagas', { wake_at: at, deadline_at: at, finished_at: at }),
    ofOrders('deliveries', {
      outcome: `'accepted'`,
      busy_until: at,
      deadline_at: at,
      cancel_at: 'null',
      cancel_until: 'null',
    }),
    // Kept for seven days, and not every client sends one.
    `insert into ${table('idempotency_keys')} (access_key_id, path, key, fingerprint, order_api_key, busy_until, status, body, created_at)
     select 'somebody', '/publicapi/v1/send-order', 'key' || n, md5(n::text), ${order}, ${at}, 200, template.details::text, ${at}
     from (${template} limit 1) as template cross join generate_series(1, ${Math.ceil(count / 5)}) as n`,
  ]
  await withoutTriggers(database, statements)

  function ofOrders(name: string, changes: Record<string, string>): Statement {
    return copies(table(name), `select * from ${table(name)}`, {
      count,
      changes: { order_api_key: order, ...changes },
    })
  }
}

/** Charges of these orders, all captured. */
export async function fillAuthorizations(database: pg.Pool, schema: string, count: number): Promise<void> {
  const table = `${schema}.authorizations`
  const changes = {
    order_api_key: key('order', 'n'),
    processor_id: `'processor-' || n`,
    created_at: age(count),
    updated_at: age(count),
  }
  await withoutTriggers(database, [
    copies(table, `select * from ${table} where state = 'captured'`, { changes, count }),
  ])
}

const ITEMS = 20

/** Restaurants all over the country, each with a zone around it, a category and twenty items, as `like` has them. */
export async function fillRestaurants(
  database: pg.Pool,
  schema: string,
  { count, like }: { count: number; like: string },
): Promise<void> {
  const table = (name: string) => `${schema}.${name}`
  const own = key('restaurant', 'n')
  // A low-discrepancy spread, the same every time.
  const latitude = `(30 + 15 * (n * 0.7548776662 % 1))`
  const longitude = `(-120 + 40 * (n * 0.5698402910 % 1))`
  const of = (name: string) => `select * from ${table(name)} where restaurant_api_key = '${like}'`
  await withoutTriggers(database, [
    copies(table('restaurants'), `select * from ${table('restaurants')} where api_key = '${like}'`, {
      count,
      changes: { api_key: own, latitude, longitude, name: `'Restaurant ' || n` },
    }),
    copies(table('delivery_zones'), of('delivery_zones'), {
      count,
      changes: {
        api_key: key('zone', 'n'),
        restaurant_api_key: own,
        position: '0',
        zips: 'null',
        polygon: 'null',
        hole: 'null',
        max_radius_miles: '3',
        bounds: `format('(%s,%s),(%s,%s)', ${longitude} + 0.06, ${latitude} + 0.05, ${longitude} - 0.06, ${latitude} - 0.05)`,
      },
    }),
    copies(table('menu_categories'), of('menu_categories'), {
      count,
      changes: { api_key: key('category', 'n'), restaurant_api_key: own, position: '0' },
    }),
    copies(table('menu_items'), of('menu_items'), {
      count: count * ITEMS,
      changes: {
        api_key: key('item', 'n'),
        restaurant_api_key: key('restaurant', `(1 + (n - 1) / ${ITEMS})`),
        category_api_key: key('category', `(1 + (n - 1) / ${ITEMS})`),
        position: `(n - 1) % ${ITEMS}`,
      },
    }),
  ])
}

type Statement = string | ((client: pg.PoolClient) => Promise<string>)

async function withoutTriggers(database: pg.Pool, statements: readonly Statement[]): Promise<void> {
  const client = await database.connect()
  try {
    await client.query(`set session_replication_role = replica`)
    for (const statement of statements)
      await client.query(typeof statement === 'string' ? statement : await statement(client))
    await client.query('reset session_replication_role')
    await client.query('vacuum analyze')
  } finally {
    client.release()
  }
}
