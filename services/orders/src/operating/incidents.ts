import { ApiKey, epochSeconds, type Attention } from '@platter/contracts'
import { Problem, type PageRange, type RequestContext } from '@platter/kit'
import { z } from 'zod'
import { SOURCE_NAMES, SOURCES, type Deps, type Found, type Source } from '#/operating/incident-sources.ts'

/** The position of an incident, newest first: `at` in microseconds. */
export const Position = z.object({ at: z.int(), id: ApiKey })
type Position = z.infer<typeof Position>

/** An incident with its position in the list. */
export type Listed = { item: Attention; position: Position }

/**
 * Returns incidents, newest first, from after the position `before`. While payments, catalog or RabbitMQ is unavailable, an incident
 * `incidents-unavailable` replaces the incidents of a source. Rejects while the database of orders is unavailable.
 */
export async function readAttention(
  deps: Deps,
  { before, limit }: PageRange<Position>,
  context: RequestContext,
): Promise<Listed[]> {
  const all = await Promise.all(
    SOURCE_NAMES.map(async (source) => {
      try {
        return await readSource(deps, source, context)
      } catch (error) {
        if (!(error instanceof Problem) || error.status !== 503) throw error
        return [unavailable(source, error)]
      }
    }),
  )
  return all
    .flat()
    .filter(({ position }) => before === null || byAge(position, before) < 0)
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
    since: epochSeconds(),
  }
  return { item, position: { at: FIRST_AT, id } }
}

const UNAVAILABLE = 'unavailable_'
/** Returns true for the id of an `incidents-unavailable`. */
export const isOfUnavailable = (id: string): boolean =>
  SOURCE_NAMES.some((source) => id === `${UNAVAILABLE}${source}`)

/** Returns the incidents of one source, newest first. */
export async function readSource(deps: Deps, source: Source, context: RequestContext): Promise<Listed[]> {
  return (await SOURCES[source].read(deps, context)).map((found) => listed(source, found))
}

/** Returns whether the list of open incidents contains this one. */
export const isOpen = async (
  deps: Deps,
  { id, source }: { id: string; source: Source },
  context: RequestContext,
): Promise<boolean> => (await readSource(deps, source, context)).some(({ item }) => item.id === id)

function listed(source: Source, { at, key, count = 0, ...found }: Found): Listed {
  const id = `${source}_${key ?? found.orderApiKey}`
  const { kind } = SOURCES[source]
  return { item: { id, kind, ...found, count, since: Math.floor(at / 1_000_000) }, position: { at, id } }
}

const byAge = (one: Position, other: Position): number =>
  one.at - other.at || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0)

/** Returns the source and the key of an incident's id; null for an invalid id. */
export function splitId(id: string): { source: Source; key: string } | null {
  const source = SOURCE_NAMES.find((name) => id.startsWith(`${name}_`))
  return source ? { source, key: id.slice(source.length + 1) } : null
}
