import type { Log } from '@platter/kit'
import type { Authorization } from '#/domain/authorization.ts'
import { failedOwn, keysOf, withKnownKeys } from '#/domain/charge-after-sale.ts'
import type { ProcessorResult } from '#/domain/processor-result.ts'
import { successOf, type BalanceTransactionPage, type ProcessorReads } from '#/outside/processor.ts'
import type { AuthorizationStore } from '#/store/authorizations.ts'
import type { ChargeMirrorStore, MirrorRow } from '#/store/charge-mirrors.ts'
import type { RefundStore } from '#/store/refunds.ts'

type Deps = {
  reads: Pick<ProcessorReads, 'charge' | 'balanceTransactions'>
  mirrors: Pick<ChargeMirrorStore, 'now' | 'set' | 'unfinished' | 'acquire' | 'renew' | 'release'>
  refunds: Pick<RefundStore, 'known' | 'markReturned' | 'markWhollyRefunded'>
  /** Publishes a mirror to orders. A lost message is published again (`send-mirrors.ts`). */
  send: (row: MirrorRow) => Promise<void>
  authorizations: Pick<AuthorizationStore, 'find'>
  log: Log
}

/** Balance transactions of the last seconds may appear late in the list. */
const OVERLAP_SECONDS = 600
/** An hour of a busy platform has some hundred pages; a page that cannot be read repeats the period. */
const MOST_SECONDS = 600
/**
 * Later charges must not wait longer for an unreadable one. The daily reconciliation finds what it hides, unless its order is older
 * than a day.
 */
const RETRIED_SECONDS = 3_600
/**
 * Longer than a slow processor needs for one page or one charge. After a crash, another replica compares after this time; with 5
 * minutes, a refund at the processor whose event was lost appeared in its order after 7 minutes.
 */
const LEASE_MS = 30_000
/**
 * The charges that a comparison reads again although their money has not moved. A dispute stays open for months, and a read is two
 * requests one after the other: at 0.3 s each, 700 of them would occupy each comparison for 7 minutes.
 */
const MOST_UNFINISHED = 100

/** Throws Problem payment-unavailable for an unknown result, so that the processor repeats the event. */
export const knownOf = <T>(result: ProcessorResult<T>): T =>
  successOf(result, 'The processor cannot be read now. Send the event again.')

/**
 * Returns whether the charge is a second one of the order, which the reconciliation reports. Its refund must not count as a refund
 * of the first one.
 */
const isSecond = (row: Authorization, id: string) => 'processorId' in row && row.processorId !== id

export type ChargeMirror = ReturnType<typeof chargeMirror>

/**
 * Mirrors the processor's refunds and disputes, including Platter's own refunds. The rows are set to the processor's report and
 * never incremented, so a repeated, late or reordered event changes nothing.
 */
export function chargeMirror({ reads, mirrors, refunds: ownRefunds, authorizations, send, log }: Deps) {
  /** Reads a charge, and stores its refunds and disputes. */
  async function refresh(id: string): Promise<void> {
    const readAt = await mirrors.now()
    const { charge } = knownOf(await reads.charge(id))
    // The account may also have other sales.
    const row = charge?.reference ? await authorizations.find(charge.reference) : null
    if (!charge || !row || isSecond(row, id)) return
    const { disputes } = charge
    const { orderApiKey } = row
    const count = charge.refunds.length + disputes.length
    if (count === 0) return
    const refunds = withKnownKeys(charge.refunds, await ownRefunds.known(keysOf(charge.refunds)))
    const mirror = { orderApiKey, processorId: id, refunds, disputes }
    await ownRefunds.markReturned(failedOwn(refunds))
    const version = await mirrors.set(mirror, readAt)
    // By the stored state, which may be of a later read than this one.
    await ownRefunds.markWhollyRefunded(orderApiKey)
    if (version !== null) {
      log.info({ orderApiKey, count }, 'refunds and disputes of a charge stored')
      await send({ ...mirror, version })
    }
  }

  return { refresh, compare: comparison({ reads, mirrors, refresh, log }) }
}

type ComparisonDeps = Pick<Deps, 'reads' | 'mirrors' | 'log'> & { refresh: (id: string) => Promise<void> }

/** Returns the function that finds changes whose events were lost. It returns true while more must be compared. */
function comparison({ reads, mirrors, refresh, log }: ComparisonDeps) {
  /** Returns the charges that cannot be read. One of them must not keep the others from being read. */
  async function refreshAll(ids: Iterable<string>): Promise<string[]> {
    const unread: string[] = []
    for (const id of ids) {
      await refresh(id).catch((error: unknown) => {
        log.warn({ intent: id, err: error }, 'refunds and disputes of a charge cannot be read')
        unread.push(id)
      })
      await mirrors.renew(LEASE_MS)
    }
    return unread
  }

  /** Returns the charges whose money moved from `from` to before `to`. */
  async function changedCharges(from: number, to: number): Promise<Set<string>> {
    const ids = new Set<string>()
    let after: string | null = null
    do {
      const page: BalanceTransactionPage = knownOf(await reads.balanceTransactions({ from, to, after }))
      for (const { kind, charge } of page.balanceTransactions)
        if (kind !== 'payment' && charge !== null) ids.add(charge)
      after = page.after
      await mirrors.renew(LEASE_MS)
    } while (after !== null)
    return ids
  }

  /** Compares a period. Returns its end, or its beginning if it must be compared again. */
  async function comparePeriod({ from, now }: { from: number; now: number }): Promise<number> {
    const to = Math.min(now, from + MOST_SECONDS)
    const changed = await changedCharges(from - OVERLAP_SECONDS, to)
    // The end of a dispute or of a pending refund may not move money, so it is not among the balance transactions.
    const unread = await refreshAll(new Set([...changed, ...(await mirrors.unfinished(MOST_UNFINISHED))]))
    const count = unread.filter((id) => changed.has(id)).length
    if (count === 0) return to
    if (now - from < RETRIED_SECONDS) return from
    log.error({ count }, 'refunds and disputes of charges were not read within an hour')
    return to
  }

  return async function compare(): Promise<boolean> {
    const position = await mirrors.acquire(LEASE_MS)
    if (!position) return false
    const { from } = position
    let until = from
    try {
      until = await comparePeriod(position)
    } finally {
      await mirrors.release(until)
    }
    return until > from && until < position.now
  }
}
