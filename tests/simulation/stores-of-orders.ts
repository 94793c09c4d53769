import { isVisible } from '../../services/orders/src/domain/order-state.ts'
import { isChallenged } from '../../services/orders/src/saga/domain/challenging.ts'
import type { Stores } from '../../services/orders/src/store/stores.ts'
import type { Lease } from '../../services/orders/src/store/deliveries.ts'
import type { OrderKey } from '../../services/orders/src/store/idempotency-keys.ts'
import type { StoredStory } from '../../services/orders/src/store/order-story.ts'
import type { Loaded, Save } from '../../services/orders/src/store/sagas.ts'
import type { Saved } from '../../services/orders/src/store/saved-saga.ts'
import type { Database, DeliveryRow, InMemoryStores, KeyRow, SagaRow } from './database.ts'
import { restaurants, world } from './simulation.ts'

/* The stores of orders, with the conditions of the SQL statements. The functions on the path of an order are complete. */

const DAY_MS = 86_400_000

export const ordersStores = (database: Database) => ({
  ...orderStores(database),
  sagas: sagaStore(database),
  deliveries: deliveryStore(database),
  idempotencyKeys: keyStore(database),
})

export const isSagaDue = ({ saga, wakeAt }: SagaRow): boolean => !saga.isFinished && wakeAt <= world.now
export const isDeliveryDue = ({ outcome, busyUntil }: DeliveryRow): boolean =>
  outcome === null && busyUntil <= world.now
export const isNoticeDue = ({ cancelAt }: DeliveryRow): boolean => cancelAt !== null && cancelAt <= world.now

/** Returns the delay before the next attempt, ±20 %. */
const backoffMs = (firstMs: number, longestMs: number, doublings: number): number =>
  Math.min(longestMs, firstMs * 2 ** doublings) * (0.8 + 0.4 * world.random.next())

function orderStores({ orders, deliveries, links }: Database): InMemoryStores {
  function markIfPending(apiKey: string, mark: { isReturned: true } | { isRead: true }): boolean {
    const row = orders.get(apiKey)
    if (row?.outcome !== 'pending') return false
    orders.set(apiKey, { ...row, ...mark })
    return true
  }
  return {
    orders: {
      async find(apiKey) {
        const row = orders.get(apiKey)
        return row && isVisible(row) ? row : null
      },
      markReturnedIfPending: async (apiKey) => markIfPending(apiKey, { isReturned: true }),
      markReadIfPending: async (apiKey) => markIfPending(apiKey, { isRead: true }),
      async markReturned(apiKey) {
        const row = orders.get(apiKey)
        if (row) orders.set(apiKey, { ...row, isReturned: true })
      },
    },
    restaurantOrders: {
      async find(restaurantApiKey, apiKey) {
        const order = orders.get(apiKey)
        const delivery = deliveries.get(apiKey)
        if (order?.restaurantApiKey !== restaurantApiKey) return null
        const isWithRestaurant = order.outcome === 'transmitted' || delivery?.outcome === 'unreachable'
        if (!isWithRestaurant && delivery?.outcome !== null) return null
        // Only a console shows the time of an unstarted order.
        return { ...order, waitingSince: null }
      },
    },
    orderStories: {
      /** Has the parts of an order that refunds and cancellations read. */
      async find(by) {
        const order = 'apiKey' in by ? orders.get(by.apiKey) : undefined
        return order ? ({ order } as StoredStory) : null
      },
    },
    restaurantLinks: { find: async (restaurantApiKey) => links.get(restaurantApiKey) ?? null },
  }
}

/** Names the state of a saga. */
function stateOf({ facts, state, isFinished }: Loaded['saga']): string {
  const { done, undone, refusal, refunds = [] } = state
  const bank = isChallenged(state) ? 'at the bank' : ''
  const kind = facts.token === null ? 'cash' : 'card'
  const back = refusal ? ` − ${undone.join(' ')} because ${refusal.code}` : ''
  return `${kind}: ${bank}${done.join(' ')}${back}${refunds.length > 0 ? ' refund' : ''}${isFinished ? ' END' : ''}`
}

/** Whether an order fails after its response was due. */
const failsLate = (before: Loaded['order'], { order, saga: { facts } }: Save): boolean =>
  before.outcome === 'pending' &&
  order.outcome === 'failed' &&
  world.now >= before.datePlaced * 1_000 + (facts.respondWithinMs ?? Infinity)

/** A save without refunds or dispute leaves those of the row `before` unchanged. */
const changedColumns = (order: Save['order'], before = order) => ({
  outcome: order.outcome,
  paymentState: order.paymentState,
  paymentAction: order.paymentAction ?? null,
  cancellation: order.cancellation,
  refunds: order.refunds.length > 0 ? order.refunds : before.refunds,
  dispute: order.dispute ?? before.dispute,
})

/** Plain columns by version. The real `saga/domain/transition.ts` decides their values. */
function sagaStore(database: Database): Partial<Stores['sagas']> {
  const { orders, statuses, sagas, deliveries, keys, links } = database

  const loaded = ({ saga }: SagaRow): Loaded => ({ order: orders.get(saga.orderApiKey)!, saga })

  function write({ saga: given, retryInMs, deadlineInMs }: Saved): void {
    const { orderApiKey } = given
    const deadlineAt = sagas.get(orderApiKey)?.deadlineAt ?? world.now
    const saga = { ...given, isFinished: retryInMs === null }
    sagas.set(orderApiKey, {
      saga,
      wakeAt: world.now + (retryInMs ?? 0),
      deadlineAt: deadlineInMs === null ? deadlineAt : world.now + deadlineInMs,
    })
    world.count(stateOf(saga))
  }

  function writeDelivery({ saga: { orderApiKey }, delivery, leaseMs, deliverWithinMs }: Saved): void {
    if (!delivery) return
    const before = deliveries.get(orderApiKey) ?? {
      attempts: 1,
      unsentAttempts: 0,
      busyUntil: world.now + leaseMs,
      deadlineAt: world.now + deliverWithinMs,
      lastResult: null,
      linkKind: null,
      cancelAttempts: 0,
    }
    deliveries.set(orderApiKey, {
      ...before,
      outcome: delivery.outcome,
      linkKind: delivery.link ?? before.linkKind,
      cancelAt: delivery.noticeInMs === null ? null : world.now + delivery.noticeInMs,
    })
    if (delivery.link === 'console' && delivery.outcome === 'accepted') restaurants.show(orderApiKey)
  }

  return {
    async place(placement) {
      const { order, saga, idempotency, applicationId } = placement
      const { orderApiKey } = saga
      if (idempotency) {
        const key = keyOf(idempotency.scope)
        if (keys.has(key))
          throw Object.assign(new Error(), { code: '23505', constraint: 'idempotency_keys_pkey' })
        const busyUntil = world.now + idempotency.claimMs
        keys.set(key, { orderApiKey, busyUntil, status: null, body: null })
      }
      const given = {
        id: orders.size + 1,
        datePlaced: Math.floor(world.now / 1000),
        reports: links.get(order.restaurantApiKey)?.reports ?? ('detailed' as const),
      }
      const flags = { isReturned: false, isRead: false }
      orders.set(orderApiKey, { ...order, ...given, ...changedColumns(order), ...flags, applicationId })
      const { status } = order
      statuses.set(orderApiKey, status === 'PROCESSING' ? [status] : ['PROCESSING', status])
      writeDelivery(placement)
      write(placement)
      return given
    },

    async load(orderApiKey) {
      const row = sagas.get(orderApiKey)
      return row ? loaded(row) : null
    },

    async save(saved) {
      const { order, saga, from, status } = saved
      const { orderApiKey, version, state } = saga
      const row = sagas.get(orderApiKey)
      const before = orders.get(orderApiKey)
      if (!row || !before || row.saga.version !== from.version) return null
      if (from.status !== null && before.status !== from.status) return null
      const history = statuses.get(orderApiKey)!
      // The primary key: (order_api_key, position), here always 1.
      if (status !== null && history.length > 1) throw new Error('duplicate key of order_statuses')
      if (status !== null) statuses.set(orderApiKey, [...history, status])
      const isReturned = before.isReturned || order.isReturned === true || failsLate(before, saved)
      orders.set(orderApiKey, {
        ...before,
        ...changedColumns(order, before),
        status: status ?? before.status,
        isReturned,
      })
      writeDelivery(saved)
      write({ ...saved, saga: { ...row.saga, version, attempt: 1, state } })
      return { age: 0, isReturned }
    },

    async takeDue() {
      const due = [...sagas.values()].filter(isSagaDue).toSorted((one, other) => one.wakeAt - other.wakeAt)
      return due.map(({ saga, deadlineAt }) => {
        const { orderApiKey, attempt, state } = saga
        const longestMs = state.challenge ? 12_000 : 60_000
        const wakeAt = world.now + backoffMs(2_000, longestMs, Math.min(attempt - 1, 5))
        const row = { saga: { ...saga, attempt: attempt + 1 }, wakeAt, deadlineAt }
        sagas.set(orderApiKey, row)
        const waits = (state.refunds ?? []).length > 0 && state.refusal === null
        const isOverdue = deadlineAt <= world.now - (waits ? DAY_MS : 0)
        return { ...loaded(row), isExpired: deadlineAt <= world.now, isOverdue, traceparent: null }
      })
    },
  }
}

function deliveryStore({ orders, sagas, deliveries, links }: Database): Partial<Stores['deliveries']> {
  const change = (orderApiKey: string, row: DeliveryRow, changed: Partial<DeliveryRow>) =>
    deliveries.set(orderApiKey, { ...row, ...changed })
  const linkOf = (orderApiKey: string) => links.get(orders.get(orderApiKey)!.restaurantApiKey) ?? null

  /** Returns the row if the lease is the last acquired one. */
  function leasedRow({ orderApiKey, attempt }: Lease): DeliveryRow | null {
    const row = deliveries.get(orderApiKey)
    return row?.attempts === attempt ? row : null
  }

  return {
    async acquireLeases({ leaseMs }) {
      const due = [...deliveries]
        .filter(([apiKey, row]) => isDeliveryDue(row) && orders.get(apiKey)?.outcome === 'pending')
        .toSorted(([, one], [, other]) => one.busyUntil - other.busyUntil)
      return due.map(([orderApiKey, row]) => {
        const attempt = row.attempts + 1
        const isOverdue = row.deadlineAt <= world.now
        const isTried = row.lastResult !== null || attempt > 2
        change(orderApiKey, row, {
          attempts: attempt,
          unsentAttempts: row.unsentAttempts + (isOverdue && isTried ? 1 : 0),
          busyUntil: world.now + leaseMs,
        })
        return {
          orderApiKey,
          attempt,
          order: orders.get(orderApiKey)!,
          link: linkOf(orderApiKey),
          isOverdue,
          isTried,
          requestId: sagas.get(orderApiKey)!.saga.requestId,
          traceparent: null,
        }
      })
    },

    async renewLeases(leases, leaseMs) {
      const renewed = new Set<string>()
      for (const lease of leases) {
        const row = leasedRow(lease)
        if (!row) continue
        change(lease.orderApiKey, row, { busyUntil: world.now + leaseMs })
        renewed.add(lease.orderApiKey)
      }
      return renewed
    },

    async releaseLease(lease, failed) {
      const row = leasedRow(lease)
      if (!row) return
      const retryAt = world.now + backoffMs(2_000, 60_000, Math.min(row.attempts - 1, 5))
      change(lease.orderApiKey, row, {
        attempts: row.attempts - (failed ? 0 : 1),
        unsentAttempts: row.unsentAttempts + (failed?.isSent === false ? 1 : 0),
        busyUntil: Math.min(retryAt, Math.max(row.deadlineAt, world.now + 1_000)),
        lastResult: failed?.result ?? row.lastResult,
        linkKind: failed?.link ?? row.linkKind,
      })
    },

    async takeDueNotices() {
      const due = [...deliveries].filter(([, row]) => isNoticeDue(row))
      return due.map(([orderApiKey, row]) => {
        const again = world.now + backoffMs(30_000, 3_600_000, Math.min(row.cancelAttempts, 7))
        const cancelAttempts = row.cancelAttempts + 1
        change(orderApiKey, row, { cancelAt: again, cancelAttempts })
        return {
          order: orders.get(orderApiKey)!,
          link: linkOf(orderApiKey),
          isSent: row.attempts > row.unsentAttempts,
          sentBy: row.linkKind,
          attempts: cancelAttempts,
        }
      })
    },

    async endNotices(orderApiKey) {
      const row = deliveries.get(orderApiKey)
      if (row) change(orderApiKey, row, { cancelAt: null })
    },
  }
}

const keyOf = (scope: { accessKeyId: string; path: string; key: string }): string =>
  `${scope.accessKeyId} ${scope.path} ${scope.key}`

function keyStore({ keys }: Database): Partial<Stores['idempotencyKeys']> {
  /** Changes the row of the key, if it still belongs to the order. */
  function change(used: OrderKey, changed: (row: KeyRow) => Partial<KeyRow>): void {
    const row = keys.get(keyOf(used))
    if (row?.orderApiKey === used.orderApiKey) keys.set(keyOf(used), { ...row, ...changed(row) })
  }
  return {
    async reclaim(scope, claimMs) {
      const row = keys.get(keyOf(scope))
      if (row?.orderApiKey === null) keys.delete(keyOf(scope))
      if (!row || row.orderApiKey === null) return null
      const { orderApiKey, status, body } = row
      if (status !== null && body !== null) return { kind: 'completed', status, body }
      if (row.busyUntil > world.now) return { kind: 'in-flight' }
      keys.set(keyOf(scope), { ...row, busyUntil: world.now + claimMs })
      return { kind: 'resumed', orderApiKey }
    },
    async markRefused(scope) {
      if (keys.get(keyOf(scope))?.orderApiKey) return false
      keys.set(keyOf(scope), { orderApiKey: null, busyUntil: 0, status: null, body: null })
      return true
    },
    complete: async (used, response) => change(used, ({ status }) => (status === null ? response : {})),
    release: async (used) => change(used, () => ({ busyUntil: world.now })),
    async delete(used) {
      if (keys.get(keyOf(used))?.orderApiKey === used.orderApiKey) keys.delete(keyOf(used))
    },
  }
}
