import { OrderStatus, PaymentState } from '@platter/contracts'
import { expect, test } from 'vitest'
import { PostgresOrderSearch, type OrderFilter } from '../../services/orders/src/store/order-search.ts'
import { fill } from './fill.ts'
import { openDatabase } from './plans.ts'

/** The orders fill 2,050 pages. 200 of them are cancelled, 50 are open, and 360 are from one hour. */
const ORDERS = 10_000

/** Values of existing orders. Half: the time in the middle of all orders. Day: the seconds of a range after it. */
type Known = Required<Pick<OrderFilter, 'number' | 'phone' | 'email' | 'restaurant'>> & {
  half: number
  day: number
}

/** Returns each field alone, and each pair of fields, with each value of a status or a payment state. */
function singlesAndPairs(known: Known): OrderFilter[] {
  const { number, phone, email, restaurant, half, day } = known
  const fields: OrderFilter[][] = [
    [{ number }],
    [{ phone }, { phone: '000' }],
    [{ email }],
    [{ restaurant }, { restaurant: 'none' }],
    [{ from: half }, { to: half }, { from: half, to: half + day }],
    OrderStatus.options.map((status) => ({ status })),
    PaymentState.options.map((paymentState) => ({ paymentState })),
  ]
  const pairs = fields.flatMap((some, at) =>
    fields
      .slice(at + 1)
      .flatMap((others) => some.flatMap((one) => others.map((other) => ({ ...one, ...other })))),
  )
  return [{}, ...fields.flat(), ...pairs]
}

test('a search by any field or pair of fields reads at most 150 buffers and 8 a found order', async () => {
  const database = await openDatabase('orders', { joins: 'young' })
  const { pool, db, url } = database
  try {
    await fill(url, { from: 1, to: ORDERS })
    const { rows } = await pool.query<{ restaurant: string; half: number }>(
      `select restaurant_api_key as restaurant, extract(epoch from placed_at)::int as half from orders where id = ${ORDERS / 2}`,
    )
    const { restaurant = '', half = 0 } = rows[0] ?? {}
    const contact = { phone: '+1 (608) 222-2005', email: 'guest77@example.org' }
    const search = new PostgresOrderSearch(db)
    const tooMany: [OrderFilter, number][] = []
    const filters = singlesAndPairs({ number: 5, ...contact, restaurant, half, day: 3_600 })
    for (const filter of filters) {
      let found = 0
      const buffers = await database.buffersOf(async () => {
        found = (await search.find(filter, { before: null, limit: 100 })).orders.length
      })
      // The statement reads an order's row twice, once by its id. It also discards further rows: failed orders, or orders in
      // another state.
      if (buffers > 150 + 8 * found) tooMany.push([filter, buffers])
    }
    expect(tooMany).toEqual([])
    expect(filters.length).toBeGreaterThan(150)
  } finally {
    await database.close()
  }
})
