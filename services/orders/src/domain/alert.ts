import { maskCardNumbers, sanitizeText, isoTime, type Attention } from '@platter/contracts'

/* The messages to the operator when incidents begin and end. */

export type Phase = 'began' | 'ended'

/** One message: incidents of a kind that have begun, or that have ended. */
type AlertContent = {
  kind: string
  phase: Phase
  count: number
  /** The number of open incidents of the kind, including these. */
  open: number
  advice: string
  /** The first incidents of this alert. */
  incidents: Attention[]
}

export type Alert = AlertContent & {
  /** Equal in every attempt. */
  id: string
  /** Epoch seconds. */
  at: number
}

/** A known incident whose beginning or end has no alert yet. */
export type Unalerted = { number: number; kind: string; phase: Phase; incident: Attention }

/** The maximum number of incidents in an alert; the others are only counted. */
const SHOWN = 20
const MAX_TEXT = 300

export type Composed = { content: AlertContent; numbers: number[] }

/** Returns an alert for each kind and phase. `open`: the number of open incidents of a kind. */
export function composeAlerts(
  waiting: readonly Unalerted[],
  open: ReadonlyMap<string, number>,
  adviceOf: (kind: string) => string,
): Composed[] {
  const groups = Map.groupBy(waiting, ({ kind, phase }) => `${kind} ${phase}`)
  return [...groups.values()].flatMap((all) => {
    const [first] = all
    if (!first) return []
    const { kind, phase } = first
    const incidents = all.slice(0, SHOWN).map(({ incident }) => withoutPersonalData(incident))
    const content = {
      kind,
      phase,
      count: all.length,
      open: open.get(kind) ?? 0,
      advice: adviceOf(kind),
      incidents,
    }
    return [{ content, numbers: all.map(({ number }) => number) }]
  })
}

/** The reason may contain text of another system. */
const withoutPersonalData = (incident: Attention): Attention => ({
  ...incident,
  what: maskCardNumbers(sanitizeText(incident.what, MAX_TEXT)),
  reason: maskCardNumbers(sanitizeText(incident.reason, MAX_TEXT)),
})

export const titleOf = ({ kind, phase, count, open }: AlertContent): string =>
  kind === TEST_KIND ? 'Platter: test alert' : `Platter: ${kind}, ${count} ${phase}, ${open} open`

export function textOf({ kind, phase, count, advice, incidents }: AlertContent): string {
  if (kind === TEST_KIND) return advice
  const lines = incidents.map(
    ({ id, what, reason, since }) => `- ${id}: ${what}. ${reason} Since ${isoTime(since)}.`,
  )
  const others = count - incidents.length
  return [
    ...lines,
    ...(others > 0 ? [`- and ${others} more`] : []),
    ...(phase === 'began' ? ['', advice, `Runbook: ${runbookOf(kind)}`] : []),
    '',
    'All open incidents: platter attention list',
  ].join('\n')
}

/** The runbook has a section for each kind of incident. */
const runbookOf = (kind: string): string => `docs/operations.md#${kind}`

export const TEST_KIND = 'test'

export const testAlert = (id: string, at: number): Alert => ({
  id,
  at,
  kind: TEST_KIND,
  phase: 'began',
  count: 0,
  open: 0,
  advice: 'This is a test. Alerts of Platter arrive here. No action is required.',
  incidents: [],
})
