import type { Bus, Context } from '@platter/bus'
import { AccountsResolve } from '@platter/contracts'
import { Problem } from '@platter/kit'
import * as orders from '#/store/orders.ts'
import type { Db } from '#/store/tables.ts'

const TIMEOUT_MS = 2_000

/** An apiKey that no user has. */
const NOBODY = 'nobody'

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
  db: Db,
  bus: Bus,
  apiKey: string,
  caller: Caller,
): Promise<orders.OwnedOrder> {
  const order = await orders.find(db, apiKey)
  if (order?.applicationId === caller.applicationId) return order
  const isTheirs = await isUserOf(bus, order?.recipientApiKey ?? NOBODY, caller)
  if (order && isTheirs) return order
  throw new Problem('order-not-found', 'There is no such order.')
}
