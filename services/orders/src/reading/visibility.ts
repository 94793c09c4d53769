import type { Bus, Context } from '@platter/bus'
import { AccountsResolve, requestTimes } from '@platter/contracts'
import { Problem } from '@platter/kit'
import * as orders from '#/store/orders.ts'
import type { Db, Own } from '#/store/tables.ts'

/** An apiKey that no user has. */
const NOBODY = 'nobody'

export type Needs = { db: Db; own: Own; bus: Bus }

/** An order, and where what belongs to it may be read. */
export type Visible = { order: orders.OwnedOrder; rows: Db }

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
export async function readToShow<Found extends { orders: readonly orders.ReadOrder[] }>(
  db: Db,
  read: () => Promise<Found>,
): Promise<Found> {
  const found = await read()
  const unseen = found.orders.filter(({ staysVisible }) => !staysVisible)
  const marked = await Promise.all(unseen.map(({ apiKey }) => orders.show(db, apiKey)))
  return marked.every(Boolean) ? found : readToShow(db, read)
}

/** The order from `rows`, as `readToShow`; null when there is none to be seen. */
export async function findToShow(db: Db, rows: Db, apiKey: string): Promise<orders.OwnedOrder | null> {
  const { found } = await readToShow(db, async () => {
    const order = await orders.find(rows, apiKey)
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
  { db, own, bus }: Needs,
  apiKey: string,
  caller: Caller,
): Promise<Visible> {
  const { applicationId } = caller
  const rows = own({ applicationId })
  const order = await findToShow(db, rows, apiKey)
  if (order?.applicationId === applicationId) return { order, rows }
  const recipient = await orders.recipientOf(db, apiKey)
  const isTheirs = await isUserOf(bus, recipient ?? NOBODY, caller)
  const visible =
    recipient !== null && isTheirs && (await ofUser({ db, own }, apiKey, applicationId, recipient))
  if (visible) return visible
  throw new Problem('order-not-found', 'There is no such order.')
}

async function ofUser(
  { db, own }: Pick<Needs, 'db' | 'own'>,
  apiKey: string,
  applicationId: string,
  userApiKey: string,
): Promise<Visible | null> {
  const rows = own({ applicationId, userApiKey })
  const order = await findToShow(db, rows, apiKey)
  return order?.recipientApiKey === userApiKey ? { order, rows } : null
}
