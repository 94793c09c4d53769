export * from '../../../services/orders/src/store/sagas.ts'
import type * as real from '../../../services/orders/src/store/sagas.ts'
import { firstPaymentState } from '../../../services/orders/src/domain/order.ts'
import { statement, type OrderRow, type SagaRow } from '../database.ts'
import { simulation, world } from '../simulation.ts'
import { standingNow } from './orders.ts'

export const asRead = ({
  orderApiKey,
  version,
  attempt,
  facts,
  state,
  requestId,
}: SagaRow): real.SagaRow => ({
  orderApiKey,
  version,
  attempt,
  facts,
  state,
  requestId,
})

export function see({ facts, state }: Pick<SagaRow, 'facts' | 'state'>, ended: string): void {
  const { done, undone, refusal } = state
  const kind = facts.token === null ? 'cash' : 'card'
  const back = refusal ? ` − ${undone.join(' ')} because ${refusal.code}` : ''
  simulation().database.seen.add(`${kind}: ${done.join(' ')}${back}${ended}`)
}

export const accept: typeof real.accept = (_db, accepted) =>
  statement(`accept ${accepted.apiKey.slice(0, 4)}`, () => {
    const { database, world: here } = simulation()
    const { apiKey, order, idempotency } = accepted
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
        busyUntil: here.now + idempotency.busyMs,
        status: null,
        body: null,
      })
    }
    const placed: OrderRow = {
      ...order,
      apiKey,
      id: database.orders.size + 1,
      datePlaced: Math.floor(here.now / 1000),
      status: 'PROCESSING',
      paymentState: firstPaymentState(order),
      cancellation: null,
      reports: database.links.get(order.restaurantApiKey)?.reports ?? 'detailed',
      applicationId: accepted.applicationId,
      outcome: 'pending',
      told: false,
      shown: false,
    }
    database.orders.set(apiKey, placed)
    database.statuses.set(apiKey, ['PROCESSING'])
    newDelivery(apiKey, accepted.delivery)
    const { facts, state, requestId } = accepted
    see(accepted, '')
    database.sagas.set(apiKey, {
      orderApiKey: apiKey,
      version: 0,
      attempt: 1,
      facts,
      state,
      requestId,
      wakeAt: here.now + accepted.wakeInMs,
      deadlineAt: here.now + accepted.deadlineMs,
      finishedAt: null,
    })
    return placed
  })

export const keyOf = (scope: { accessKeyId: string; path: string; key: string }): string =>
  `${scope.accessKeyId} ${scope.path} ${scope.key}`

function newDelivery(orderApiKey: string, delivery: real.NewDelivery | null): void {
  const { database, world: here } = simulation()
  if (!delivery || database.deliveries.has(orderApiKey)) return
  database.deliveries.set(orderApiKey, {
    attempts: 1,
    busyUntil: here.now + delivery.busyMs,
    deadlineAt: here.now + delivery.deadlineMs,
    lastResult: null,
    outcome: null,
    linkKind: null,
    cancelAt: null,
    cancelUntil: 0,
    cancelAttempts: 0,
  })
}

export const find: typeof real.find = (_db, orderApiKey) =>
  statement(`saga of ${orderApiKey.slice(0, 4)}`, () => {
    const row = simulation().database.sagas.get(orderApiKey)
    return row && row.finishedAt === null ? asRead(row) : null
  })

export const factsOf: typeof real.factsOf = (_db, orderApiKey) =>
  statement(
    `facts of ${orderApiKey.slice(0, 4)}`,
    () => simulation().database.sagas.get(orderApiKey)?.facts ?? null,
  )

export const move: typeof real.move = (_db, { orderApiKey, version }, transition) =>
  statement(`move ${orderApiKey.slice(0, 4)} from ${version}`, () => {
    const { database, world: here } = simulation()
    const row = database.sagas.get(orderApiKey)
    if (!row || row.version !== version || row.finishedAt !== null) return null
    const { state, wakeInMs, change } = transition
    // The primary key: (order_api_key, position), here always 1.
    if (change.status !== undefined && (database.statuses.get(orderApiKey)?.length ?? 0) > 1)
      throw new Error('duplicate key of order_statuses')
    database.sagas.set(orderApiKey, {
      ...row,
      version: row.version + 1,
      attempt: 1,
      state,
      wakeAt: here.now + (wakeInMs ?? 0),
      finishedAt: wakeInMs === null ? here.now : null,
    })
    see({ ...row, state }, wakeInMs === null ? ' END' : '')
    changeOrder(orderApiKey, transition)
    if (transition.delivery) newDelivery(orderApiKey, transition.delivery)
    else settleDelivery(orderApiKey, transition)
    return { age: 0, standing: standingAfter(orderApiKey, transition) }
  })

const standingAfter = (orderApiKey: string, { change, failure }: real.Transition) =>
  change.status !== undefined || failure ? standingNow(orderApiKey) : null

function changeOrder(orderApiKey: string, { change, failure }: real.Transition): void {
  const { database } = simulation()
  const order = database.orders.get(orderApiKey)
  if (!order) throw new Error(`order ${orderApiKey} is gone`)
  const history = database.statuses.get(orderApiKey) ?? []
  if (change.status !== undefined) database.statuses.set(orderApiKey, [...history, change.status])
  const changed: OrderRow = { ...order, ...change }
  if (failure) fail(changed, { change, failure })
  if (change.status !== undefined && changed.outcome === 'pending') changed.outcome = 'transmitted'
  database.orders.set(orderApiKey, changed)
}

function fail(order: OrderRow, { change, failure }: Pick<real.Transition, 'change' | 'failure'>): void {
  const isNotTaken = ['PENDING', 'DUE', 'AUTHORIZED'].includes(order.paymentState)
  if (change.paymentState === undefined && isNotTaken) order.paymentState = 'VOIDED'
  if (order.outcome === 'pending') order.outcome = 'failed'
  order.cancellation ??= failure?.cancellation ?? null
}

const DAY_MS = 86_400_000

function settleDelivery(orderApiKey: string, { delivered, failure }: real.Transition): void {
  const { database, world: here } = simulation()
  const row = database.deliveries.get(orderApiKey)
  if (!row || (delivered === null && failure === null)) return
  const outcome = delivered?.outcome ?? row.outcome
  const linkKind = delivered?.link ?? row.linkKind
  const cancelAt = failure !== null && outcome === 'unreachable' ? here.now : null
  database.deliveries.set(orderApiKey, {
    ...row,
    outcome,
    linkKind,
    cancelAt,
    cancelUntil: here.now + DAY_MS,
  })
}

export const takeDue: typeof real.takeDue = (_db, limit) =>
  statement('sagas that are due', () => {
    const { database, world: here } = simulation()
    const due = [...database.sagas.values()]
      .filter(({ finishedAt, wakeAt }) => finishedAt === null && wakeAt <= here.now)
      .toSorted((one, other) => one.wakeAt - other.wakeAt)
      .slice(0, limit)
    return due.map((row) => {
      const pauseMs = Math.min(60_000, 2_000 * 2 ** Math.min(row.attempt - 1, 5))
      const put = {
        ...row,
        attempt: row.attempt + 1,
        wakeAt: here.now + pauseMs * (0.8 + 0.4 * world().random.next()),
      }
      database.sagas.set(row.orderApiKey, put)
      return { ...asRead(put), overdue: row.deadlineAt <= here.now, traceparent: null }
    })
  })
