import type { Bus } from '@platter/bus'
import { CatalogQuote, requestTimes, type Refusal } from '@platter/contracts'
import type { Log } from '@platter/kit'
import { isChallenged } from '#/saga/domain/challenging.ts'
import type { Stores } from '#/store/stores.ts'

type Deps = Pick<Stores, 'sagas'> & { bus: Pick<Bus, 'ask'>; log: Log }

/** Faults that depend on the current prices. The order has its own prices, so they do not apply. */
const OF_PRICES: ReadonlySet<string> = new Set(['below-delivery-minimum'])

export type Recheck = ReturnType<typeof rechecker>

/**
 * Returns the function that checks an order again after its customer has authenticated at the bank: whether its restaurant is open,
 * and its items are available. Null: the order can be transmitted. `unknown` while catalog is unavailable; the poll of the
 * challenge repeats the check.
 */
export const rechecker =
  ({ sagas, bus, log }: Deps) =>
  async (orderApiKey: string, requestId: string): Promise<Refusal | 'unknown' | null> => {
    const { facts, state } = (await sagas.load(orderApiKey))?.saga ?? {}
    if (!facts?.recheck || !state || !isChallenged(state)) return null
    const timeoutMs = requestTimes.question
    const reply = await bus
      .ask(CatalogQuote, facts.recheck, { requestId, timeoutMs })
      .catch((error: unknown) => {
        log.warn({ orderApiKey, err: error }, 'an order could not be checked after its challenge')
        return null
      })
    if (!reply) return 'unknown'
    const fault = reply.faults.find(({ code }) => !OF_PRICES.has(code))
    return fault ? { code: fault.code, detail: `${fault.detail} Your card was not charged.` } : null
  }
