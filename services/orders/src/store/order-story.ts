import type { OrderStory } from '@platter/contracts'
import { epochOf } from '@platter/kit/postgres/epoch'
import { sql } from 'kysely'
import type { Saga } from '#/domain/saga-row.ts'
import { foundOrder, type FoundOrder } from '#/store/order-search.ts'
import { PostgresStore } from '#/store/postgres-store.ts'
import type { OrderRow } from '#/store/tables.ts'

/** All rows of an order, visible or hidden. Times in epoch seconds. */
export type StoredStory = FoundOrder & {
  requestId: string
  traceparent: string | null
  saga: Pick<Saga, 'version' | 'attempt' | 'facts' | 'state'> & {
    wakeAt: number
    deadline: number
    finished: number | null
  }
  delivery: OrderStory['delivery']
}

type Row = OrderRow & Pick<StoredStory, 'requestId' | 'traceparent' | 'saga' | 'delivery'>

/** Reads all rows of one order, for operators. */
export class PostgresOrderStories extends PostgresStore {
  /** Returns null if the order does not exist. Before the first attempt, the link is the restaurant's current link. */
  async find(by: { apiKey: string } | { number: number }): Promise<StoredStory | null> {
    const { rows } = await sql<Row>`
    select o.*, s.request_id as "requestId", s.traceparent,
      jsonb_build_object('version', s.version, 'attempt', s.attempt, 'facts', s.facts, 'state', s.state,
        'wakeAt', ${epochOf('s.wake_at')}, 'deadline', ${epochOf('s.deadline_at')}, 'finished', ${epochOf('s.finished_at')}) as saga,
      case when d.order_api_key is not null then jsonb_build_object(
        'link', coalesce(d.link_kind, l.link ->> 'kind', 'default'), 'attempts', d.attempts, 'outcome', d.outcome,
        'lastResult', d.last_result, 'busyUntil', ${epochOf('d.busy_until')}, 'deadline', ${epochOf('d.deadline_at')},
        'cancellationAttempts', d.cancel_attempts, 'cancellationAt', ${epochOf('d.cancel_at')}) end as delivery
    from orders o join sagas s on s.order_api_key = o.api_key
      left join deliveries d on d.order_api_key = o.api_key
      left join restaurant_links l on l.restaurant_api_key = o.restaurant_api_key
    where ${'number' in by ? sql`o.id = ${by.number}` : sql`o.api_key = ${by.apiKey}`}`.execute(this.db)
    const [row] = rows
    if (!row) return null
    const { requestId, traceparent, saga, delivery } = row
    return { ...foundOrder(row), requestId, traceparent, saga, delivery }
  }
}
