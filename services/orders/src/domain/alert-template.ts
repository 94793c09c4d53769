import { isoTime } from '@platter/contracts'
import { TEST_KIND, textOf, titleOf, type Alert } from '#/domain/alert.ts'

/* The body of an alert webhook: Platter's own format, or one that an operator configures for another receiver. */

type Json = string | number | boolean | null | Json[] | { [name: string]: Json }

/** Alertmanager resolves an alert at its `endsAt`, so an open alert has an end in the distant future. */
const OPEN_SECONDS = 365 * 86_400
/** No end follows a test, which would stay open and be repeated. Alertmanager first waits for `group_wait`, by default 30 s. */
const TEST_SECONDS = 600

/** The values of the placeholders. */
function valuesOf(alert: Alert): Record<string, string | number> {
  const isOver = alert.phase === 'ended' && alert.open === 0
  const openSeconds = alert.kind === TEST_KIND ? TEST_SECONDS : OPEN_SECONDS
  return {
    id: alert.id,
    kind: alert.kind,
    phase: alert.phase,
    state: isOver ? 'resolved' : 'firing',
    count: alert.count,
    open: alert.open,
    title: titleOf(alert),
    text: textOf(alert),
    advice: alert.advice,
    at: isoTime(alert.at),
    endsAt: isoTime(isOver ? alert.at : alert.at + openSeconds),
  }
}

const PLACEHOLDER = /\{\{(\w+)\}\}/g
/** A text that consists of one placeholder keeps the type of its value. */
const ALONE = /^\{\{(\w+)\}\}$/

export const PLACEHOLDERS: readonly string[] = Object.keys(
  valuesOf({ id: '', at: 0, kind: '', phase: 'began', count: 0, open: 0, advice: '', incidents: [] }),
)

/** Returns why the text is not a valid template, or null. */
export function templateFault(template: string): string | null {
  try {
    JSON.parse(template)
  } catch {
    return 'is not JSON'
  }
  const unknown = [...template.matchAll(PLACEHOLDER)].find(([, name = '']) => !PLACEHOLDERS.includes(name))
  return unknown
    ? `has the unknown placeholder ${unknown[0]}; the known ones are ${PLACEHOLDERS.join(', ')}`
    : null
}

/** Returns the body for an alert. Placeholders are replaced in the parsed template, so no value can change its structure. */
export function bodyOf(alert: Alert, template: string | undefined): string {
  const values = valuesOf(alert)
  if (template === undefined) {
    const { incidents, kind, phase, count, open, advice } = alert
    const { title, text } = values
    return JSON.stringify({
      type: `incident.${phase}`,
      timestamp: values['at'],
      data: { kind, count, open, title, text, advice, incidents },
    })
  }
  return JSON.stringify(filled(JSON.parse(template) as Json, values))
}

function filled(json: Json, values: Record<string, string | number>): Json {
  if (typeof json === 'string') {
    const alone = ALONE.exec(json)?.[1]
    if (alone !== undefined) return values[alone] ?? json
    return json.replaceAll(PLACEHOLDER, (whole, name: string) => String(values[name] ?? whole))
  }
  if (Array.isArray(json)) return json.map((one) => filled(one, values))
  if (typeof json === 'object' && json !== null)
    return Object.fromEntries(Object.entries(json).map(([name, one]) => [name, filled(one, values)]))
  return json
}
