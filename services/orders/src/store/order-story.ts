import type { OrderStory, Refusal, RestaurantLink } from '@platter/contracts'
import { sql } from 'kysely'
import { isVisible } from '#/domain/order-state.ts'
import type { PlacedOrder } from '#/domain/order.ts'
import type { SendOrderFacts, State } from '#/domain/saga-row.ts'
import { placedOrder } from '#/store/orders.ts'
import { PostgresStore } from '#/store/postgres-store.ts'

/** All rows of an order, visible or hidden. Times in epoch seconds. */
export type StoredStory = {
  order: PlacedOrder
  applicationId: string
  outcome: 'pending' | 'transmitted' | 'failed'
  visible: boolean
  requestId: string
  traceparent: string | null
  saga: {
    version: number
    attempt: number
    facts: SendOrderFacts
    state: State & { refusal: Refusal | null }
    wakeAt: number
    deadline: number
    finished: number | null
  }
  link: RestaurantLink | null
  delivery:
    | (Omit<NonNullable<OrderStory['delivery']>, 'link'> & { sentBy: RestaurantLink['kind'] | null })
    | null
}

const epoch = <N extends number | null = number>(column: string) =>
  // eslint-disable-next-line no-restricted-properties -- callers name columns of this schema
  sql<N>`floor(extract(epoch from ${sql.ref(column)}))::int8`

type DeliveryColumns = {
  delivered: 'accepted' | 'refused' | 'unreachable' | null
  last_result: string | null
  link_kind: RestaurantLink['kind'] | null
  busyUntil: number
  deliveryDeadline: number
  cancel_attempts: number | null
  cancelAt: number | null
}

const deliveryOf = (row: DeliveryColumns, attempts: number): StoredStory['delivery'] => ({
  attempts,
  outcome: row.delivered,
  lastResult: row.last_result,
  sentBy: row.link_kind,
  busyUntil: row.busyUntil,
  deadline: row.deliveryDeadline,
  cancellationAttempts: row.cancel_attempts ?? 0,
  cancellationAt: row.cancelAt,
})

/** Reads all rows of one order, for operators. */
export class PostgresOrderStories extends PostgresStore {
  /** Returns null if the order does not exist. */
  async find(by: { apiKey: string } | { number: number }): Promise<StoredStory | null> {
    const row = await this.db
      .selectFrom('orders')
      .innerJoin('sagas', 'sagas.order_api_key', 'orders.api_key')
      .leftJoin('deliveries', 'deliveries.order_api_key', 'orders.api_key')
      .leftJoin('restaurant_links', 'restaurant_links.restaurant_api_key', 'orders.restaurant_api_key')
      .selectAll('orders')
      .select([
        'sagas.version',
        'sagas.attempt',
        'sagas.facts',
        'sagas.state',
        'sagas.request_id',
        'sagas.traceparent',
        epoch('sagas.wake_at').as('wakeAt'),
        epoch('sagas.deadline_at').as('deadline'),
        epoch<number | null>('sagas.finished_at').as('finished'),
        'restaurant_links.link',
        'deliveries.attempts',
        'deliveries.outcome as delivered',
        'deliveries.last_result',
        'deliveries.link_kind',
        epoch('deliveries.busy_until').as('busyUntil'),
        epoch('deliveries.deadline_at').as('deliveryDeadline'),
        'deliveries.cancel_attempts',
        epoch<number | null>('deliveries.cancel_at').as('cancelAt'),
      ])
      .where((order) =>
        'number' in by ? order('orders.id', '=', by.number) : order('orders.api_key', '=', by.apiKey),
      )
      .executeTakeFirst()
    if (!row) return null
    const { version, attempt, facts, state, wakeAt, deadline, finished, link, attempts } = row
    return {
      order: placedOrder(row),
      applicationId: row.application_id,
      outcome: row.outcome,
      visible: isVisible(row),
      requestId: row.request_id,
      traceparent: row.traceparent,
      saga: { version, attempt, facts, state, wakeAt, deadline, finished },
      link,
      delivery: attempts === null ? null : deliveryOf(row, attempts),
    }
  }
}
