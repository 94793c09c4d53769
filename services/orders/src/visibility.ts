import type { Bus, Context } from '@platter/bus'
import { AccountsResolve } from '@platter/contracts'
import { Problem } from '@platter/kit'
import * as orders from '#/store/orders.ts'
import type { Db, Own } from '#/store/tables.ts'

const TIMEOUT_MS = 2_000

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
  const { faults } = await bus.ask(AccountsResolve, question, { requestId, timeoutMs: TIMEOUT_MS })
  return faults.length === 0
}

/**
 * The order, if the calling application may see it: the one that placed it, and those that its recipient
 * belongs to (interface.md, "Who may see what"). Anything else is `order-not-found`, after the same question
 * to accounts: how long the answer takes does not tell either whether there is such an order.
 */
export async function findVisibleOrder(
  { db, own, bus }: Needs,
  apiKey: string,
  caller: Caller,
): Promise<Visible> {
  const { applicationId } = caller
  const rows = own({ applicationId })
  const order = await orders.find(rows, apiKey)
  if (order?.applicationId === applicationId) return { order, rows }
  const recipient = await orders.recipientOf(db, apiKey)
  const isTheirs = await isUserOf(bus, recipient ?? NOBODY, caller)
  const visible = recipient !== null && isTheirs && (await ofUser(own, apiKey, applicationId, recipient))
  if (visible) return visible
  throw new Problem('order-not-found', 'There is no such order.')
}

async function ofUser(
  own: Own,
  apiKey: string,
  applicationId: string,
  userApiKey: string,
): Promise<Visible | null> {
  const rows = own({ applicationId, userApiKey })
  const order = await orders.find(rows, apiKey)
  return order?.recipientApiKey === userApiKey ? { order, rows } : null
}
