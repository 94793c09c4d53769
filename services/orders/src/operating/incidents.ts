import { UnknownPayments, type Attention, type Before } from '@platter/contracts'
import type { internalCaller, RequestContext } from '@platter/kit'
import { awaitedStep } from '#/saga/domain/transition.ts'
import type { DeadLetterRow, OverdueSaga, UnacceptedOrder } from '#/store/incidents.ts'
import type { Stores } from '#/store/stores.ts'

export type Deps = Pick<Stores, 'incidents'> & {
  payments: ReturnType<typeof internalCaller>
  unknownAfterMs: number
  acceptWithinMs: number
}

/** An incident's id consists of its source and its key there. */
const SOURCES = ['payment', 'saga', 'letter', 'order'] as const
type Source = (typeof SOURCES)[number]

/** An incident with its position in the list. */
export type Listed = { item: Attention; position: Before }

type Found = Omit<Attention, 'id' | 'since'> & { key: string; at: number }

/** Incidents, newest first, from after the position `before`. */
export async function readAttention(
  { incidents, payments, unknownAfterMs, acceptWithinMs }: Deps,
  { before, limit }: { before: Before | null; limit: number },
  context: RequestContext,
): Promise<Listed[]> {
  const page = (source: Source) => ({ before: before && within(before, source), limit })
  const [letters, sagas, orders, unknown] = await Promise.all([
    incidents.deadLetters(page('letter')),
    incidents.overdueSagas(page('saga')),
    incidents.unacceptedOrders(page('order'), acceptWithinMs),
    payments(UnknownPayments, { ...page('payment'), olderThanMs: unknownAfterMs }, context),
  ])
  return [
    ...letters.map((row) => listed('letter', letter(row))),
    ...sagas.map((row) => listed('saga', overdue(row))),
    ...orders.map((row) => listed('order', unaccepted(row))),
    ...unknown.payments.map((row) =>
      listed('payment', {
        ...row,
        kind: 'unknown-payment',
        key: row.orderApiKey,
        what: row.call,
        count: row.answers,
      }),
    ),
  ]
    .toSorted((one, other) => byAge(other.position, one.position))
    .slice(0, limit)
}

function listed(source: Source, { key, at, kind, orderApiKey, what, reason, count }: Found): Listed {
  const id = `${source}_${key}`
  const since = Math.floor(at / 1_000_000)
  return { item: { id, kind, orderApiKey, what, reason, count, since }, position: { at, id } }
}

const letter = (row: DeadLetterRow): Found => ({
  kind: 'dead-letter',
  key: row.id,
  at: row.at,
  orderApiKey: row.orderApiKey,
  what: row.step === null ? row.command : `${row.command} (${row.step})`,
  reason: row.reason,
  count: row.deaths,
})

function overdue({ orderApiKey, facts, state, attempt, at }: OverdueSaga): Found {
  const awaited = awaitedStep({ facts, state })
  const step = awaited?.step.name ?? 'end'
  return {
    kind: 'overdue-saga',
    key: orderApiKey,
    at,
    orderApiKey,
    what: awaited?.isCompensation ? `compensate ${step}` : step,
    reason: 'The order is past its deadline.',
    count: attempt,
  }
}

const unaccepted = ({ orderApiKey, restaurantApiKey, cancelledAt, at }: UnacceptedOrder): Found => ({
  kind: 'order-unaccepted',
  key: orderApiKey,
  at,
  orderApiKey,
  what: `restaurant ${restaurantApiKey}`,
  reason: `The restaurant has not started the order. It is cancelled at ${new Date(cancelledAt * 1_000).toISOString()}.`,
  count: 0,
})

const byAge = (one: Before, other: Before): number =>
  one.at - other.at || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0)

/** The position in a source, whose keys have no prefix: before or after all incidents of that moment, or at the key. */
function within({ at, id }: Before, source: Source): Before {
  const own = splitId(id)
  if (own?.source === source) return { at, id: own.key }
  return `${source}_` < id ? { at: at + 1, id: '' } : { at, id: '' }
}

/** The source and the key of an incident's id; null for an id that was never issued. */
export function splitId(id: string): { source: Source; key: string } | null {
  const source = SOURCES.find((name) => id.startsWith(`${name}_`))
  return source ? { source, key: id.slice(source.length + 1) } : null
}
