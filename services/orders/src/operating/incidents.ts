import type { Bus } from '@platter/bus'
import {
  CatalogUnattended,
  cents,
  OpenDisputes,
  requestTimes,
  toMoney,
  UnknownPayments,
  type Attention,
  type Before,
} from '@platter/contracts'
import { Problem, type internalCaller, type RequestContext } from '@platter/kit'
import type { Channel } from '#/operating/alerts/channel.ts'
import { awaitedStep } from '#/saga/domain/awaited-step.ts'
import type { AlertStore } from '#/store/alerts.ts'
import type { Stores } from '#/store/stores.ts'

export type Deps = Pick<Stores, 'incidents'> & {
  alerts: Pick<AlertStore, 'mismatches' | 'undelivered'>
  /** The configured ones. */
  channels: readonly Pick<Channel, 'name'>[]
  payments: ReturnType<typeof internalCaller>
  bus: Pick<Bus, 'ask'>
  unknownAfterMs: number
  startWithinMs: number
}

/** A restaurant may be unattended for this time within its opening hours. */
const UNATTENDED_FOR_MS = 5 * 60_000

/** `key`: of the incident in its source; absent if that is the order. */
type Found = { at: number; what: string; reason: string; count?: number } & (
  | { orderApiKey: string; key?: string }
  | { orderApiKey: string | null; key: string }
)
type Page = { before: Before | null; limit: number }

/**
 * A source of incidents of one kind. `read` returns them newest first, from after the position. `advice` is the action for an
 * operator.
 */
type IncidentSource = {
  kind: Attention['kind']
  advice: string
  read(deps: Deps, page: Page, context: RequestContext): Promise<Found[]>
}

/** The sources of all incidents. An incident's id consists of its source and its key there. */
export const SOURCES = {
  payment: {
    kind: 'unknown-payment',
    advice: 'Read the status page of the payment processor. Platter retries; do not settle it by hand.',
    read: async ({ payments, unknownAfterMs }, page, context) =>
      (await payments(UnknownPayments, { ...page, olderThanMs: unknownAfterMs }, context)).payments.map(
        ({ call, answers, ...row }) => ({ ...row, what: call, count: answers }),
      ),
  },
  saga: {
    kind: 'overdue-saga',
    advice: 'Check the service that executes the step, and RabbitMQ. Then run: platter attention retry ID',
    read: async ({ incidents }, page) =>
      (await incidents.overdueSagas(page)).map(({ facts, state, attempt, ...row }) => {
        const awaited = awaitedStep({ facts, state })
        const step = awaited?.step.name ?? 'end'
        return {
          ...row,
          what: awaited?.isCompensation ? `compensate ${step}` : step,
          reason: 'The order is past its deadline.',
          count: attempt,
        }
      }),
  },
  letter: {
    kind: 'dead-letter',
    advice: 'Read the log of the consumer: the cause is a bug. Then run: platter attention retry ID',
    read: async ({ incidents }, page) =>
      (await incidents.deadLetters(page)).map(({ id, command, step, deaths, ...row }) => ({
        ...row,
        key: id,
        what: step === null ? command : `${command} (${step})`,
        count: deaths,
      })),
  },
  dispute: {
    kind: 'open-dispute',
    advice: 'Respond with evidence at the payment processor before the deadline, or accept the loss there.',
    read: async ({ payments }, page, context) =>
      (await payments(OpenDisputes, page, context)).disputes.map(({ amount, reason, respondBy, ...row }) => {
        const deadline = respondBy === null ? 'No response is possible' : `Respond by ${isoOf(respondBy)}`
        return {
          ...row,
          what: `dispute of ${toMoney(amount).toFixed(2)}`,
          reason: `The bank disputes the charge: ${reason}. ${deadline}.`,
        }
      }),
  },
  refund: {
    kind: 'failed-refund',
    advice: 'Run: platter orders show ORDER. Refund again, or agree on another way with the customer.',
    read: async ({ incidents }, page) =>
      (await incidents.failedRefunds(page)).map(({ amount, ...row }) => ({
        ...row,
        what: `refund of ${toMoney(cents(amount)).toFixed(2)}`,
        reason: 'The processor could not refund. The customer has received no money.',
      })),
  },
  order: {
    kind: 'order-unaccepted',
    advice: 'Call the restaurant. Without its start the order is cancelled and refunded.',
    read: async ({ incidents, startWithinMs }, page) =>
      (await incidents.unstartedOrders(page, startWithinMs)).map(
        ({ restaurantApiKey, cancelledAt, ...row }) => ({
          ...row,
          what: `restaurant ${restaurantApiKey}`,
          reason: `The restaurant has not started the order. It is cancelled at ${isoOf(cancelledAt)}.`,
        }),
      ),
  },
  mismatch: {
    kind: 'reconciliation-mismatch',
    advice:
      'Run: platter orders show ORDER. Settle the difference, at the processor if necessary. Then run: platter attention retry ID',
    read: async ({ alerts }, page) =>
      (await alerts.mismatches(page)).map(({ id, rule, detail, ...row }) => ({
        ...row,
        key: id,
        what: rule,
        reason: detail,
      })),
  },
  alert: {
    kind: 'alert-undelivered',
    advice: 'Check the receiver of the alerts. Then run: platter alerts test',
    read: async ({ alerts, channels }, page) => {
      const configured = channels.map(({ name }) => name)
      return (await alerts.undelivered(configured, page)).map(({ channel, reason, attempts, at }) => ({
        key: channel,
        at,
        orderApiKey: null,
        what: channel,
        reason: reason ?? 'No attempt has ended.',
        count: attempts,
      }))
    },
  },
  restaurant: {
    kind: 'restaurant-unattended',
    advice:
      'Call the restaurant: its console is closed or its system does not respond. No customer can order from it.',
    read: async ({ bus }, page, { requestId }) => {
      const question = { olderThanMs: UNATTENDED_FOR_MS, ...page }
      const options = { requestId, timeoutMs: requestTimes.question }
      const { restaurants } = await bus.ask(CatalogUnattended, question, options)
      return restaurants.map(({ restaurantApiKey, name, at }) => ({
        key: restaurantApiKey,
        at,
        orderApiKey: null,
        what: `restaurant ${restaurantApiKey}`,
        reason: `${name} has been unattended for 5 minutes within its opening hours.`,
      }))
    },
  },
} as const satisfies Record<string, IncidentSource>

const isoOf = (seconds: number): string => new Date(seconds * 1_000).toISOString()

export type Source = keyof typeof SOURCES
export const SOURCE_NAMES = Object.keys(SOURCES) as Source[]

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

/** Returns all incidents of one source, newest first; not complete if the source has more than 5,000. */
export async function readAll(
  deps: Deps,
  source: Source,
  context: RequestContext,
): Promise<{ source: Source; incidents: Attention[]; isComplete: boolean }> {
  const incidents: Attention[] = []
  for await (const page of pagesOf(deps, source, context)) {
    incidents.push(...page)
    if (incidents.length === MOST_PAGES * PAGE) return { source, incidents, isComplete: false }
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
