import type { Mismatch } from '@platter/contracts'
import { newRequestId, type Log } from '@platter/kit'
import { MAX_MISMATCHES, reconcile, type Deps as Books, type Position } from '#/operating/reconcile.ts'
import type { AlertStore } from '#/store/alerts.ts'
import type { PostgresScheduledRuns } from '#/store/scheduled-runs.ts'

const DAY_MS = 86_400_000
/** Longer than one page of a slow processor takes. A failed or crashed run is repeated after this time. */
const LEASE_MS = 300_000

type Deps = Books & {
  alerts: Pick<AlertStore, 'reconcileSince' | 'replaceMismatches'>
  scheduledRuns: Pick<PostgresScheduledRuns, 'acquire' | 'renew'>
  stopping: AbortSignal
  log: Log
}

/**
 * Reconciles once per day, on one replica. Its mismatches are incidents until a later run finds that the books balance. A run
 * begins a day before the end of the last run, which did not compare orders in progress.
 */
export async function reconcileDaily(deps: Deps): Promise<void> {
  const { alerts, scheduledRuns, reconciliation, stopping, log } = deps
  const run = await scheduledRuns.acquire('reconcile', LEASE_MS)
  if (!run) return
  const [since, until] = [await alerts.reconcileSince(), await reconciliation.now()]
  const context = { requestId: newRequestId() }
  let mismatches: Mismatch[] = []
  let position: Position | null = { after: { at: since * 1_000_000 - 1, id: 0 }, from: since, until }
  while (position !== null) {
    stopping.throwIfAborted()
    const page: { mismatches: Mismatch[]; next: Position | null } = await reconcile(deps, position, context)
    // The newest ones: old ones that are never corrected must not hide them.
    mismatches = [...mismatches, ...page.mismatches].slice(-MAX_MISMATCHES)
    position = page.next
    await scheduledRuns.renew(run, LEASE_MS)
  }
  await alerts.replaceMismatches(run, { mismatches, since, until, nextInMs: DAY_MS })
  const message =
    mismatches.length === 0 ? 'the books balance' : 'the books do not balance: run platter reconcile'
  log[mismatches.length === 0 ? 'info' : 'error']({ count: mismatches.length }, message)
}
