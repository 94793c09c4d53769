import type * as real from '../../../services/orders/src/store/restaurant-orders.ts'
import { statement } from '../database.ts'
import { simulation } from '../simulation.ts'
import { asRead, see } from './sagas.ts'

export * from '../../../services/orders/src/store/restaurant-orders.ts'

export const find: typeof real.find = (_db, restaurantApiKey, apiKey) =>
  statement(`order ${apiKey.slice(0, 4)} of its restaurant`, () => {
    const { orders, deliveries } = simulation().database
    const order = orders.get(apiKey)
    if (order?.restaurantApiKey !== restaurantApiKey) return null
    if (order.outcome !== 'transmitted' && !wasGivenUp(apiKey)) return null
    return { order, link: null, linkKind: deliveries.get(apiKey)?.linkKind ?? null }
  })

export const givenUp: typeof real.givenUp = (_db, apiKey) =>
  statement(`${apiKey.slice(0, 4)}, which was given up`, () =>
    wasGivenUp(apiKey) ? (simulation().database.orders.get(apiKey) ?? null) : null,
  )

const wasGivenUp = (apiKey: string) => simulation().database.deliveries.get(apiKey)?.outcome === 'unreachable'

export const cancel: typeof real.cancel = (
  _db,
  orderApiKey,
  { refusal, cancellation, deadlineMs, onlyUntaken },
) =>
  statement(`cancel ${orderApiKey.slice(0, 4)}`, () => {
    const { database, world } = simulation()
    const order = database.orders.get(orderApiKey)
    const saga = database.sagas.get(orderApiKey)
    const isOpen = order?.outcome === 'transmitted' && !order.cancellation && order.status !== 'DELIVERED'
    const isTaken = order?.status !== 'AWAITING_PREPARATION'
    if (!isOpen || !saga || (onlyUntaken && isTaken)) return null
    database.orders.set(orderApiKey, {
      ...order,
      cancellation: cancellation as NonNullable<typeof order.cancellation>,
    })
    const opened = {
      ...saga,
      version: saga.version + 1,
      attempt: 1,
      state: { ...saga.state, refusal },
      wakeAt: world.now,
      deadlineAt: world.now + deadlineMs,
      finishedAt: null,
    }
    database.sagas.set(orderApiKey, opened)
    see(opened, '')
    return asRead(opened)
  })
