import { MOST_INCIDENTS } from '@platter/contracts'
import { newRequestId, reasonOf, type Log } from '@platter/kit'
import { composeAlerts } from '#/domain/alert.ts'
import { SOURCE_NAMES, SOURCES, type Deps as Incidents, type Source } from '#/operating/incident-sources.ts'
import { readSource } from '#/operating/incidents.ts'
import type { AlertStore } from '#/store/alerts.ts'
import type { PostgresScheduledRuns } from '#/store/scheduled-runs.ts'

const COMPARE_EVERY_MS = 10_000
/** Longer than the slowest source takes. A crashed comparison is repeated after this time. */
const LEASE_MS = 30_000

type Deps = Incidents & {
  alerts: Pick<AlertStore, 'compare'>
  scheduledRuns: Pick<PostgresScheduledRuns, 'acquire'>
  log: Log
}

/**
 * Compares the open incidents with the known ones, on one replica at a time. Stores the alerts of incidents that began or ended.
 * The incidents of a source that cannot be read stay unchanged, and the other sources are compared.
 */
export async function compareIncidents(deps: Deps): Promise<void> {
  const { alerts, scheduledRuns, channels, log } = deps
  const run = await scheduledRuns.acquire('compare incidents', LEASE_MS)
  if (!run) return
  const found = (await Promise.all(SOURCE_NAMES.map((source) => readIfAvailable(deps, source)))).filter(
    (one) => one !== null,
  )
  const composed = await alerts.compare(run, found, {
    channels: channels.map(({ name }) => name),
    nextInMs: COMPARE_EVERY_MS,
    compose: (waiting, open) => composeAlerts(waiting, open, adviceOf),
  })
  for (const { content } of composed)
    log.warn(
      { kind: content.kind, state: content.phase, count: content.count },
      'incidents: an alert is sent',
    )
}

/** Returns null if the source cannot be read. */
async function readIfAvailable(deps: Deps, source: Source) {
  try {
    const incidents = (await readSource(deps, source, { requestId: newRequestId() })).map(({ item }) => item)
    return { source, incidents, isComplete: incidents.length < MOST_INCIDENTS }
  } catch (error) {
    deps.log.warn(
      { kind: SOURCES[source].kind, reason: reasonOf(error) },
      'incidents of one kind could not be read; the others are compared',
    )
    return null
  }
}

const adviceOf = (kind: string): string =>
  Object.values(SOURCES).find((one) => one.kind === kind)?.advice ?? ''
