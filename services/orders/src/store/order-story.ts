import type { OrderStory } from '@platter/contracts'
import { epochOf } from '@platter/kit/postgres/epoch'
import { sql } from 'kysely'
import type { Saga } from '#/domain/saga-row.ts'
import { ORDER, type OrderRow } from '#/store/order-row.ts'
import { PostgresStore } from '#/store/postgres-store.ts'

/** All rows of an order, visible or hidden. Times in epoch seconds. */
export type StoredStory = {
  order: OrderRow
  requestId: string
  traceparent: string | null
  saga: Pick<Saga, 'version' | 'attempt' | 'facts' | 'state'> & {
    wakeAt: number
    deadline: number
    finished: number | null
  }
  delivery: OrderStory['delivery']
}

type Row = OrderRow & Omit<StoredStory, 'order'>

/** Reads all rows of one order, for operators. */
export class PostgresOrderStories extends PostgresStore {
  /** Returns null if the order does not exist. Before the first attempt, the link is the restaurant's current link. */
  async find(by: { apiKey: string } | { number: number }): Promise<StoredStory | null> {
    const { rows } = await sql<Row>`
    select ${ORDER}, s.request_id as "requestId", s.traceparent,
      jsonb_build_object('version', s.version, 'attempt', s.attempt, 'facts', s.facts, 'state', s.state,
        'wakeAt', ${epochOf('s.wake_at')}, 'deadline', ${epochOf('s.deadline_at')}, 'finished', ${epochOf('s.finished_at')}) as saga,
      case when d.order_api_key is not null then jsonb_build_object(
        'link', coalesce(d.link_kind, l.link ->> 'kind', 'default'), 'attempts', d.attempts, 'outcome', d.outcome,
        'lastResult', d.last_result, 'busyUntil', ${epochOf('d.busy_until')}, 'deadline', ${epochOf('d.deadline_at')},
        'cancellationAttempts', d.cancel_attempts, 'cancellationAt', ${epochOf('d.cancel_at')}) end as delivery
    from orders join sagas s on s.order_api_key = orders.api_key
      left join deliveries d on d.order_api_key = orders.api_key
      left join restaurant_links l on l.restaurant_api_key = orders.restaurant_api_key
    where ${'number' in by ? sql`orders.id = ${by.number}` : sql`orders.api_key = ${by.apiKey}`}`.execute(
      this.db,
    )
    const [row] = rows
    if (!row) return null
    const { requestId, traceparent, saga, delivery, ...order } = row
    return { order, requestId, traceparent, saga, delivery }
  }
}
