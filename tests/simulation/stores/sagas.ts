import type { Loaded, SagaStore, Save, Times } from '../../../services/orders/src/store/sagas.ts'
import { isChallenged } from '../../../services/orders/src/saga/domain/challenging.ts'
import { statement, type SagaRow } from '../database.ts'
import { simulation, world } from '../simulation.ts'

/* Plain columns by version, like the real store. The real `saga/domain/transition.ts` decides their values. */

function asLoaded(row: SagaRow): Loaded {
  const order = simulation().database.orders.get(row.orderApiKey)
  if (!order) throw new Error(`order ${row.orderApiKey} does not exist`)
  const { orderApiKey, version, attempt, facts, state, requestId, finishedAt } = row
  return {
    order,
    saga: { orderApiKey, version, attempt, facts, state, requestId, isFinished: finishedAt !== null },
  }
}

function see({ facts, state, finishedAt }: SagaRow): void {
  const { done, undone, refusal, refunds = [] } = state
  const bank = isChallenged(state) ? 'at the bank' : ''
  const kind = facts.token === null ? 'cash' : 'card'
  const back = refusal ? ` − ${undone.join(' ')} because ${refusal.code}` : ''
  simulation().database.seen.add(
    `${kind}: ${bank}${done.join(' ')}${back}${refunds.length > 0 ? ' refund' : ''}${finishedAt === null ? '' : ' END'}`,
  )
}

function write(row: SagaRow): void {
  simulation().database.sagas.set(row.orderApiKey, row)
  see(row)
}

type Saved = Pick<Save, 'saga' | 'delivery' | keyof Times>

const timesOf = ({ wakeInMs, deadlineInMs }: Saved, before: SagaRow | null) => {
  const { now } = world()
  return {
    wakeAt: now + (wakeInMs ?? 0),
    deadlineAt: deadlineInMs === null ? (before?.deadlineAt ?? now) : now + deadlineInMs,
    finishedAt: wakeInMs === null ? now : null,
  }
}

const DAY_MS = 86_400_000

function writeDelivery({ saga, delivery, leaseMs, deliverWithinMs }: Saved): void {
  if (!delivery) return
  const { database, restaurants, world: here } = simulation()
  const { orderApiKey } = saga
  const before = database.deliveries.get(orderApiKey) ?? {
    attempts: 1,
    busyUntil: here.now + leaseMs,
    deadlineAt: here.now + deliverWithinMs,
    lastResult: null,
    linkKind: null,
    cancelAttempts: 0,
  }
  database.deliveries.set(orderApiKey, {
    ...before,
    outcome: delivery.outcome,
    linkKind: delivery.link ?? before.linkKind,
    cancelAt: delivery.noticeInMs === null ? null : here.now + delivery.noticeInMs,
    cancelUntil: here.now + DAY_MS,
  })
  if (delivery.link === 'console' && delivery.outcome === 'accepted') restaurants.show(orderApiKey)
}

const changedColumns = (order: Save['order']) => {
  const { outcome, paymentState, paymentAction = null, cancellation, refunds, dispute } = order
  return { outcome, paymentState, paymentAction, cancellation, refunds, dispute }
}

const accept: SagaStore['accept'] = (accepted) =>
  statement(`accept ${accepted.saga.orderApiKey.slice(0, 4)}`, () => {
    const { database, world: here } = simulation()
    const { order, saga, idempotency } = accepted
    const { orderApiKey: apiKey } = saga
    if (idempotency) {
      const key = keyOf(idempotency.scope)
      if (database.keys.has(key))
        throw Object.assign(new Error('duplicate key'), {
          code: '23505',
          constraint: 'idempotency_keys_pkey',
        })
      database.keys.set(key, {
        fingerprint: idempotency.scope.fingerprint,
        orderApiKey: apiKey,
        busyUntil: here.now + idempotency.claimMs,
        status: null,
        body: null,
      })
    }
    const given = {
      id: database.orders.size + 1,
      datePlaced: Math.floor(here.now / 1000),
      reports: database.links.get(order.restaurantApiKey)?.reports ?? ('detailed' as const),
    }
    const { status } = order
    database.orders.set(apiKey, {
      ...order,
      ...given,
      ...changedColumns(order),
      applicationId: accepted.applicationId,
      told: false,
      shown: false,
    })
    database.statuses.set(apiKey, status === 'PROCESSING' ? [status] : ['PROCESSING', status])
    writeDelivery(accepted)
    const { isFinished: _, ...row } = saga
    write({ ...row, ...timesOf(accepted, null) })
    return given
  })

export const keyOf = (scope: { accessKeyId: string; path: string; key: string }): string =>
  `${scope.accessKeyId} ${scope.path} ${scope.key}`

const load: SagaStore['load'] = (orderApiKey) =>
  statement(`load ${orderApiKey.slice(0, 4)}`, () => {
    const row = simulation().database.sagas.get(orderApiKey)
    return row ? asLoaded(row) : null
  })

const save: SagaStore['save'] = (saved) =>
  statement(`save ${saved.saga.orderApiKey.slice(0, 4)} onto ${saved.from.version}`, () => {
    const { database } = simulation()
    const { order, saga, from, status } = saved
    const { orderApiKey } = saga
    const row = database.sagas.get(orderApiKey)
    const before = database.orders.get(orderApiKey)
    if (!row || !before || row.version !== from.version) return null
    if (from.status !== null && before.status !== from.status) return null
    const history = database.statuses.get(orderApiKey) ?? []
    // The primary key: (order_api_key, position), here always 1.
    if (status !== null && history.length > 1) throw new Error('duplicate key of order_statuses')
    if (status !== null) database.statuses.set(orderApiKey, [...history, status])
    const told = before.told || order.told === true
    database.orders.set(orderApiKey, {
      ...before,
      status: status ?? before.status,
      ...changedColumns(order),
      told,
    })
    writeDelivery(saved)
    write({ ...row, version: saga.version, attempt: 1, state: saga.state, ...timesOf(saved, row) })
    return { age: 0, told }
  })

const takeDue: SagaStore['takeDue'] = (limit) =>
  statement('sagas that are due', () => {
    const { database, world: here } = simulation()
    const due = [...database.sagas.values()]
      .filter(({ finishedAt, wakeAt }) => finishedAt === null && wakeAt <= here.now)
      .toSorted((one, other) => one.wakeAt - other.wakeAt)
      .slice(0, limit)
    return due.map((row) => {
      const longestMs = row.state.challenge ? 12_000 : 60_000
      const pauseMs = Math.min(longestMs, 2_000 * 2 ** Math.min(row.attempt - 1, 5))
      const wakeAt = here.now + pauseMs * (0.8 + 0.4 * world().random.next())
      const put = { ...row, attempt: row.attempt + 1, wakeAt }
      database.sagas.set(row.orderApiKey, put)
      const isExpired = row.deadlineAt <= here.now
      const waits = (row.state.refunds ?? []).length > 0 && row.state.refusal === null
      const isOverdue = row.deadlineAt <= here.now - (waits ? DAY_MS : 0)
      return { ...asLoaded(put), isExpired, isOverdue, traceparent: null }
    })
  })

export const sagas = { accept, load, save, takeDue }
