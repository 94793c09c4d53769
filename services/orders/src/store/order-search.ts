import { OrderStatus, PaymentState, type FindOrders } from '@platter/contracts'
import { sql, type RawBuilder } from 'kysely'
import type { z } from 'zod'
import { NEWEST_FIRST, readPage, type OrderPage } from '#/store/order-pages.ts'
import { ORDER, type OrderRow } from '#/store/order-row.ts'
import { isVisibleRow } from '#/store/orders.ts'
import { PostgresStore } from '#/store/postgres-store.ts'

/** An absent member does not filter. */
export type OrderFilter = Omit<z.output<typeof FindOrders.query>, 'limit' | 'cursor'>

type Condition = RawBuilder<unknown>

const phoneOf = sql`details -> 'recipient' ->> 'phone'`
const emailOf = sql`details -> 'recipient' ->> 'email'`

/**
 * The digits of a telephone number without an extension, an optional `(0)` and leading zeros: 0044 20 7946 0018 and +44 (0)20 7946
 * 0018 are 442079460018. The expression is identical to that in indexes/orders_of_phone.sql.
 */
const digitsOf = (text: Condition) =>
  sql`ltrim(regexp_replace(lower(${text}), '(ext|x|#).*$|\\(0\\)|[^0-9]', '', 'g'), '0')`

/** Only one of the two numbers may have a country or area code, so one of them must end with the other. */
function isPhone(phone: string): Condition {
  const [stored, given] = [digitsOf(phoneOf), digitsOf(sql`${phone}::text`)]
  return sql`right(${stored}, 7) = right(${given}, 7)
    and right(${stored}, length(${given})) = right(${given}, length(${stored}))`
}

/** Ids increase with the times of the orders, except for concurrent transactions. */
const CONCURRENT = sql`interval '1 minute'`

/** The id of the first order that was placed at that time or later; the maximum bigint if none exists. */
const idAt = (moment: Condition) => sql`coalesce(
  (select id from orders where placed_at >= ${moment} order by orders.placed_at, orders.id limit 1), 9223372036854775807)`

/**
 * Prevents the use of the index on the time: PostgreSQL would read all orders between two dates, and then sort the matching ones.
 */
const PLACED = sql`(placed_at + interval '0')`

const placedFrom = (from: number): Condition => {
  const moment = sql`to_timestamp(${from}::int8)`
  return sql`${PLACED} >= ${moment} and id >= ${idAt(sql`${moment} - ${CONCURRENT}`)}`
}
const placedBefore = (to: number): Condition => {
  const moment = sql`to_timestamp(${to}::int8)`
  return sql`${PLACED} < ${moment} and id < ${idAt(sql`${moment} + ${CONCURRENT}`)}`
}

const RESTAURANT = sql`restaurant_api_key`
/**
 * Prevents the use of the restaurant's index. PostgreSQL would read all orders of the restaurant, because it overestimates the
 * orders of an e-mail address.
 */
const UNINDEXED_RESTAURANT = sql`(restaurant_api_key || '')`
const isContact = ({ phone, email }: OrderFilter) => phone !== undefined || email !== undefined

function conditionsOf(filter: OrderFilter): Condition[] {
  const { number, phone, email, restaurant, from, to, status, paymentState } = filter
  return [
    number !== undefined && sql`id = ${number}`,
    phone !== undefined && isPhone(phone),
    email !== undefined && sql`lower(${emailOf}) = lower(${email})`,
    restaurant !== undefined && sql`${isContact(filter) ? UNINDEXED_RESTAURANT : RESTAURANT} = ${restaurant}`,
    from !== undefined && placedFrom(from),
    to !== undefined && placedBefore(to),
    status !== undefined && sql`status = ${status} and ${isVisibleRow}`,
    paymentState !== undefined && sql`payment_state = ${paymentState} and ${isVisibleRow}`,
  ].filter((condition) => condition !== false)
}

const ALL = sql`true`
const OPEN = sql`is_open`
/** One index covers both; it begins with the restaurant. */
const AFTER_SALE = sql`(cancellation is not null or refunds is not null)`
const NOT_REQUIRED = sql`(test or total = 0)`
const NOT_CHARGED = sql`(payment = 'cash' or test or total = 0)`
const UNFINISHED = sql`api_key = any(array(select order_api_key from sagas where finished_at is null))`

/**
 * Returns the conditions for cancelled and refunded orders: one for each status and payment state, and one for orders from before
 * migration 0220.
 */
function endedParts({ restaurant, status, paymentState }: OrderFilter): readonly Condition[] {
  if (restaurant !== undefined) return [AFTER_SALE]
  const statuses = status === undefined ? OrderStatus.options : [status]
  const states = paymentState === undefined ? PaymentState.options : [paymentState]
  const parts = statuses.flatMap((one) =>
    states.map((state) => sql`(ended_status = ${one} and ended_payment_state = ${state})`),
  )
  return [...parts, sql`${AFTER_SALE} and ended_status is null`]
}

/**
 * Returns the parts of the table that may contain such orders, each with an index. Status and payment state have no index, because
 * every step of every order would write it (0130). Delivered and charged orders are frequent, so a backward scan finds them.
 */
function partsOf(filter: OrderFilter): readonly Condition[] {
  const { number, phone, email, status = 'DELIVERED', paymentState = 'CHARGED' } = filter
  if (number !== undefined || phone !== undefined || email !== undefined) return [ALL]
  if (paymentState === 'PENDING' || paymentState === 'AUTHORIZED') return [UNFINISHED]
  if (paymentState === 'VOIDED' || paymentState === 'REFUNDED') return endedParts(filter)
  if (status !== 'DELIVERED') return [OPEN, ...endedParts(filter)]
  return { CHARGED: [ALL], DUE: [NOT_CHARGED], NOT_REQUIRED: [NOT_REQUIRED] }[paymentState]
}

/** Searches orders of all applications for operators. */
export class PostgresOrderSearch extends PostgresStore {
  /** Newest first, visible or hidden. `before`: the id of the previous page's last order. */
  async find(
    filter: OrderFilter,
    page: { before: number | null; limit: number },
  ): Promise<OrderPage<OrderRow>> {
    const conditions = conditionsOf(filter)
    if (page.before !== null) conditions.push(sql`id < ${page.before}`)
    const newest = sql`order by id desc limit ${page.limit + 1}`
    const ids = partsOf(filter).map(
      (part) => sql`(select id from orders where ${sql.join([part, ...conditions], sql` and `)} ${newest})`,
    )
    const found = sql`select id from (${sql.join(ids, sql` union `)}) as found ${newest}`
    const from = sql`orders where id = any(array(${found}))`
    const { limit } = page
    return readPage(this.db, { columns: ORDER, from, direction: NEWEST_FIRST, limit })
  }
}
