import type { Bus, Context } from '@platter/bus'
import { AccountsResolve, requestTimes } from '@platter/contracts'
import { Problem } from '@platter/kit'
import type { OrderStore, OwnedOrder, ReadOrder } from '#/store/orders.ts'
import type { OwnStores, Stores } from '#/store/stores.ts'

/** An apiKey that no user has. */
const NOBODY = 'nobody'

export type Deps = Pick<Stores, 'orders'> & { own: OwnStores; bus: Bus }

/** An order, and the tenant-scoped store that has it. */
export type Visible = { order: OwnedOrder; orders: OrderStore }

type Caller = Context & { applicationId: string }

/** Whether the user belongs to the calling application. Accounts know. */
export async function isUserOf(
  bus: Bus,
  userApiKey: string,
  { applicationId, requestId }: Caller,
): Promise<boolean> {
  const question = { applicationId, recipientApiKey: userApiKey, cardApiKey: null, addressApiKey: null }
  const { faults } = await bus.ask(AccountsResolve, question, { requestId, timeoutMs: requestTimes.question })
  return faults.length === 0
}

/**
 * Orders as a client may see them. A pending one is marked first, so that it stays visible, as cancelled, should it fail.
 * The mark and the failure are statements on one row: either the order was marked before it failed, or the mark finds it
 * decided, and what was read is read again.
 */
export async function readToShow<Found extends { orders: readonly ReadOrder[] }>(
  orders: OrderStore,
  read: () => Promise<Found>,
): Promise<Found> {
  const found = await read()
  const unseen = found.orders.filter(({ staysVisible }) => !staysVisible)
  const marked = await Promise.all(unseen.map(({ apiKey }) => orders.markReadIfPending(apiKey)))
  return marked.every(Boolean) ? found : readToShow(orders, read)
}

/** The order of a tenant-scoped store, as `readToShow`; null when there is no visible one. */
export async function findToShow(
  orders: OrderStore,
  own: OrderStore,
  apiKey: string,
): Promise<OwnedOrder | null> {
  const { found } = await readToShow(orders, async () => {
    const order = await own.find(apiKey)
    return { found: order, orders: order ? [order] : [] }
  })
  return found
}

/**
 * The order, if the calling application may see it: the one that placed it, and those that its recipient
 * belongs to (docs/interface.md, "Access to users and orders"). Anything else is `order-not-found`, after the same question
 * to accounts: how long the answer takes does not tell either whether there is such an order.
 */
export async function findVisibleOrder(
  { orders, own, bus }: Deps,
  apiKey: string,
  caller: Caller,
): Promise<Visible> {
  const { applicationId } = caller
  const placed = own({ applicationId }).orders
  const order = await findToShow(orders, placed, apiKey)
  if (order?.applicationId === applicationId) return { order, orders: placed }
  const recipient = await orders.recipientOf(apiKey)
  const isTheirs = await isUserOf(bus, recipient ?? NOBODY, caller)
  const visible =
    recipient !== null &&
    isTheirs &&
    (await ofUser({ orders, own }, apiKey, { applicationId, userApiKey: recipient }))
  if (visible) return visible
  throw new Problem('order-not-found', 'There is no such order.')
}

async function ofUser(
  { orders, own }: Pick<Deps, 'orders' | 'own'>,
  apiKey: string,
  user: { applicationId: string; userApiKey: string },
): Promise<Visible | null> {
  const received = own(user).orders
  const order = await findToShow(orders, received, apiKey)
  return order?.recipientApiKey === user.userApiKey ? { order, orders: received } : null
}
