import type { Bus, Context } from '@platter/bus'
import { AccountsResolve, requestTimes } from '@platter/contracts'
import { Problem } from '@platter/kit'
import { staysVisible } from '#/domain/order-state.ts'
import type { OrderRow } from '#/store/order-row.ts'
import type { Stores, TenantStores } from '#/store/stores.ts'

/** No user has this apiKey. */
const NO_USER = 'none'

export type Deps = Pick<Stores, 'orders'> & { tenantStores: TenantStores; bus: Pick<Bus, 'ask'> }

/** An order, and the tenant-scoped store that contains it. */
export type Visible = { order: OrderRow; orders: Stores['orders'] }

type Caller = Context & { applicationId: string }

/** Returns whether the user belongs to the calling application, by a question to accounts. */
export async function isUserOf(
  bus: Deps['bus'],
  userApiKey: string,
  { applicationId, requestId }: Caller,
): Promise<boolean> {
  const question = { applicationId, recipientApiKey: userApiKey, cardApiKey: null, addressApiKey: null }
  const { faults } = await bus.ask(AccountsResolve, question, { requestId, timeoutMs: requestTimes.question })
  return faults.length === 0
}

/**
 * Reads orders for a client. Marks pending orders first, so that they stay visible as cancelled if they fail. Mark and failure are
 * statements on one row: either the order is marked before it fails, or the mark finds it no longer pending, and the orders are
 * read again.
 */
export async function readAndMark<Found extends { orders: readonly OrderRow[] }>(
  orders: Stores['orders'],
  read: () => Promise<Found>,
): Promise<Found> {
  const found = await read()
  const unmarked = found.orders.filter((order) => !staysVisible(order))
  const marked = await Promise.all(unmarked.map(({ apiKey }) => orders.markReadIfPending(apiKey)))
  return marked.every(Boolean) ? found : readAndMark(orders, read)
}

/** Reads an order of a tenant-scoped store like `readAndMark`; null if no visible order exists. */
export async function findAndMark(
  orders: Stores['orders'],
  tenantOrders: Stores['orders'],
  apiKey: string,
): Promise<OrderRow | null> {
  const { found } = await readAndMark(orders, async () => {
    const order = await tenantOrders.find(apiKey)
    return { found: order, orders: order ? [order] : [] }
  })
  return found
}

/**
 * Returns the order if it is visible to the calling application: that application placed it, or its recipient belongs to it
 * (docs/interface.md, "Access to users and orders"). Otherwise throws Problem order-not-found, after the same question to accounts,
 * so that the response time does not reveal whether the order exists.
 */
export async function findVisibleOrder(
  { orders, tenantStores, bus }: Deps,
  apiKey: string,
  caller: Caller,
): Promise<Visible> {
  const { applicationId } = caller
  const placed = tenantStores({ applicationId }).orders
  const order = await findAndMark(orders, placed, apiKey)
  if (order?.applicationId === applicationId) return { order, orders: placed }
  const recipient = await orders.recipientOf(apiKey)
  const isMember = await isUserOf(bus, recipient ?? NO_USER, caller)
  if (recipient === null || !isMember) throw new Problem('order-not-found')
  const received = tenantStores({ applicationId, userApiKey: recipient }).orders
  const orderOfUser = await findAndMark(orders, received, apiKey)
  if (orderOfUser?.recipientApiKey !== recipient) throw new Problem('order-not-found')
  return { order: orderOfUser, orders: received }
}
