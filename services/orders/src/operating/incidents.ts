import type { Attention, Before } from '@platter/contracts'
import { Problem, type RequestContext } from '@platter/kit'
import {
  SOURCE_NAMES,
  SOURCES,
  type Deps,
  type Found,
  type Page,
  type Source,
} from '#/operating/incident-sources.ts'

/** An incident with its position in the list. */
export type Listed = { item: Attention; position: Before }

/**
 * Returns incidents, newest first, from after the position `before`. While payments, catalog or RabbitMQ is unavailable, an incident
 * `incidents-unavailable` replaces the incidents of a source. Rejects while the database of orders is unavailable.
 */
export async function readAttention(
  deps: Deps,
  { before, limit }: Page,
  context: RequestContext,
): Promise<Listed[]> {
  const all = await Promise.all(
    SOURCE_NAMES.map(async (source) => {
      try {
        return await readSource(deps, source, { before: before && within(before, source), limit }, context)
      } catch (error) {
        if (!(error instanceof Problem) || error.status !== 503) throw error
        const missing = unavailable(source, error)
        return before === null || byAge(missing.position, before) < 0 ? [missing] : []
      }
    }),
  )
  return all
    .flat()
    .toSorted((one, other) => byAge(other.position, one.position))
    .slice(0, limit)
}

/** Later than every incident (year 2112): the first page begins with these incidents, and no later page repeats them. */
const FIRST_AT = 2 ** 52

/** Returns the incident for a source that cannot be read. `error` is the problem of its service, or of RabbitMQ. */
function unavailable(source: Source, error: Problem): Listed {
  const id = `${UNAVAILABLE}${source}`
  const cause = error.cause instanceof Error ? ` Reason: ${error.cause.message}` : ''
  const item = {
    id,
    kind: 'incidents-unavailable' as const,
    orderApiKey: null,
    what: SOURCES[source].kind,
    reason: `${error.message}${cause}`,
    count: 0,
    since: Math.floor(Date.now() / 1_000),
  }
  return { item, position: { at: FIRST_AT, id } }
}

const UNAVAILABLE = 'unavailable_'
/** Returns true for the id of an `incidents-unavailable`. */
export const isOfUnavailable = (id: string): boolean =>
  SOURCE_NAMES.some((source) => id === `${UNAVAILABLE}${source}`)

/** Returns incidents of one source. `before` is a position in that source. */
async function readSource(
  deps: Deps,
  source: Source,
  page: Page,
  context: RequestContext,
): Promise<Listed[]> {
  return (await SOURCES[source].read(deps, page, context)).map((found) => listed(source, found))
}

const PAGE = 200
/** The maximum number of pages that `readAll` reads. */
const MOST_PAGES = 25

/** Returns the incidents of one source in pages, newest first. */
async function* pagesOf(deps: Deps, source: Source, context: RequestContext): AsyncGenerator<Attention[]> {
  let before: Before | null = null
  for (;;) {
    const page: Listed[] = await readSource(deps, source, { before, limit: PAGE }, context)
    yield page.map(({ item }) => item)
    const last = page.at(-1)
    if (!last || page.length < PAGE) return
    before = { at: last.position.at, id: last.item.id.slice(source.length + 1) }
  }
}

/**
 * Returns all incidents of one source, newest first; not complete if the source has more than 5,000. `renewLease` is called before
 * each further page, because all pages of a slow source take longer than a lease.
 */
export async function readAll(
  deps: Deps,
  source: Source,
  context: RequestContext,
  renewLease: () => Promise<void>,
): Promise<{ source: Source; incidents: Attention[]; isComplete: boolean }> {
  const incidents: Attention[] = []
  for await (const page of pagesOf(deps, source, context)) {
    incidents.push(...page)
    if (incidents.length === MOST_PAGES * PAGE) return { source, incidents, isComplete: false }
    if (page.length === PAGE) await renewLease()
  }
  return { source, incidents, isComplete: true }
}

/** Returns whether the list of open incidents contains this one. */
export async function isOpen(
  deps: Deps,
  { id, source }: { id: string; source: Source },
  context: RequestContext,
): Promise<boolean> {
  for await (const page of pagesOf(deps, source, context))
    if (page.some((incident) => incident.id === id)) return true
  return false
}

function listed(source: Source, { at, key, count = 0, ...found }: Found): Listed {
  const id = `${source}_${key ?? found.orderApiKey}`
  const { kind } = SOURCES[source]
  return { item: { id, kind, ...found, count, since: Math.floor(at / 1_000_000) }, position: { at, id } }
}

const byAge = (one: Before, other: Before): number =>
  one.at - other.at || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0)

/**
 * Converts a position in the whole list to a position in one source, whose keys have no prefix. It is before or after all incidents
 * of that time, or at the key.
 */
function within({ at, id }: Before, source: Source): Before {
  const own = splitId(id)
  if (own?.source === source) return { at, id: own.key }
  return `${source}_` < id ? { at: at + 1, id: '' } : { at, id: '' }
}

/** Returns the source and the key of an incident's id; null for an invalid id. */
export function splitId(id: string): { source: Source; key: string } | null {
  const source = SOURCE_NAMES.find((name) => id.startsWith(`${name}_`))
  return source ? { source, key: id.slice(source.length + 1) } : null
}
