import type { OrderStory } from '@platter/contracts'

/** A past or future event of an order; `at` in epoch seconds. */
type Event = { at: number; what: string }

/** Returns all events of an order, oldest first. Events with an equal second keep their causal order. */
export function timelineOf({ order, statuses, saga, payment, delivery }: OrderStory): Event[] {
  const { cancellation } = order
  const progress = statuses.map(({ date, status }) => ({ at: date, what: `status ${status}` }))
  const charge = payment ? paymentEvents(payment) : []
  return [
    // The restaurant receives an order after the authorization of its card, often in the same second.
    ...progress.slice(0, 1),
    ...charge.slice(0, 1),
    ...progress.slice(1),
    ...charge.slice(1),
    ...(cancellation
      ? [{ at: cancellation.date, what: `cancelled by ${cancellation.cancelledBy}: ${cancellation.message}` }]
      : []),
    ...order.refunds.map(({ date, amount, reason, requestedBy, state }) => ({
      at: date,
      what: `refund of ${money(amount)} by the ${requestedBy}, ${reason}: ${state}`,
    })),
    ...(delivery?.outcome === null ? [{ at: delivery.deadline, what: 'deadline of the transmission' }] : []),
    ...sagaEvents(saga),
  ].toSorted((one, other) => one.at - other.at)
}

type Payment = NonNullable<OrderStory['payment']>
type Saga = OrderStory['saga']

function paymentEvents({ amount, created, updated, state, ...payment }: Payment): Event[] {
  const events = [{ at: created, what: `authorization requested: ${money(amount)}` }]
  const { unknown, releaseRequested } = payment
  if (releaseRequested !== null) events.push({ at: releaseRequested, what: 'release requested' })
  if (unknown)
    events.push({ at: unknown.since, what: `${unknown.call} has an unknown outcome: ${unknown.reason}` })
  // The time is that of the last change, such as a refund of a captured charge.
  events.push({ at: updated, what: `last change of the payment: ${state}${as(payment.processorId)}` })
  return events
}

function sagaEvents({ finished, state, wakeAt, deadline, ...saga }: Saga): Event[] {
  if (finished !== null) return [{ at: finished, what: `saga ${state}` }]
  const coming = wakeAt === null ? [] : [{ at: wakeAt, what: `${stepOf(saga)} is republished` }]
  return [...coming, { at: deadline, what: 'deadline of the saga' }]
}

const stepOf = ({ step, undo }: Pick<Saga, 'step' | 'undo'>): string =>
  `${undo ? 'compensation of ' : ''}${step ?? ''}`
const money = (amount: number | null): string => (amount === null ? 'nothing' : amount.toFixed(2))
const as = (id: string | null): string => (id === null ? '' : ` as ${id}`)
const listed = (names: readonly string[]): string => (names.length === 0 ? 'nothing' : names.join(', '))

const UNAVAILABLE = 'not known: the payments service does not respond'

/** Returns the state of each part of an order, one line each. */
export const summaryOf = (story: OrderStory): [part: string, words: string][] => [
  ['order', orderWords(story)],
  ['saga', sagaWords(story.saga)],
  ['payment', story.paymentUnavailable ? UNAVAILABLE : story.payment ? paymentWords(story.payment) : 'none'],
  ['delivery', story.delivery ? deliveryWords(story.delivery) : 'none'],
]

function orderWords({ order, outcome, visible }: OrderStory): string {
  const { status, method, payment, total, paymentState, dispute } = order
  const hidden = visible ? '' : ', hidden from clients'
  const disputed = dispute ? `; dispute of ${money(dispute.amount)} ${dispute.state}` : ''
  return `${outcome}${hidden}; ${status}; ${method}, ${payment} ${money(total)}, ${paymentState}${disputed}`
}

function sagaWords({ state, refusal, version, attempts, done, undone, ...saga }: Saga): string {
  const at = saga.step === null ? '' : `, at ${stepOf(saga)}`
  const because = refusal === null ? '' : ` (${refusal.code}: ${refusal.detail})`
  const steps = `done: ${listed(done)}; compensated: ${listed(undone)}`
  return `${state}${at}${because}; version ${version}, attempt ${attempts}; ${steps}`
}

function paymentWords({ state, amount, processorId, attempts, refusal }: Payment): string {
  const declined = refusal ? `; declined: ${refusal.declineCode}` : ''
  return `${state} ${money(amount)}${as(processorId)}; attempts: ${attempts}${declined}`
}

function deliveryWords({ outcome, link, attempts, lastResult }: NonNullable<OrderStory['delivery']>): string {
  const last = lastResult === null ? '' : `; ${lastResult}`
  return `${outcome ?? 'open'} by ${link}; attempts: ${attempts}${last}`
}
