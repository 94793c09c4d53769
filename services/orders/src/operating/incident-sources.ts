import type { Bus } from '@platter/bus'
import {
  CatalogUnattended,
  cents,
  formatAmount,
  MOST_INCIDENTS,
  PaymentIncidents,
  requestTimes,
  isoTime,
  type Attention,
} from '@platter/contracts'
import type { internalCaller, RequestContext } from '@platter/kit'
import type { Channel } from '#/operating/alerts/channel.ts'
import { awaitedStep } from '#/saga/domain/awaited-step.ts'
import type { AlertStore } from '#/store/alerts.ts'
import type { Stores } from '#/store/stores.ts'

export type Deps = Pick<Stores, 'incidents'> & {
  alerts: Pick<AlertStore, 'mismatches' | 'undelivered' | 'overdueReconciliation'>
  /** The configured ones. */
  channels: readonly Pick<Channel, 'name'>[]
  payments: ReturnType<typeof internalCaller>
  bus: Pick<Bus, 'ask'>
  startWithinMs: number
}

/** A restaurant may be unattended for this time within its opening hours. */
const UNATTENDED_FOR_MS = 5 * 60_000

const FAILED_REFUND =
  'Run: platter orders show ORDER. Refund again (a cancelled order: in the dashboard of the processor), or agree on another way with the customer.'

/** `key`: of the incident in its source; absent if that is the order. */
export type Found = { at: number; what: string; reason: string; count?: number } & (
  | { orderApiKey: string; key?: string }
  | { orderApiKey: string | null; key: string }
)

/** A source of incidents of one kind. `read` returns them newest first, at most MOST_INCIDENTS. `advice` is the action for an operator. */
type IncidentSource = {
  kind: Attention['kind']
  advice: string
  read(deps: Deps, context: RequestContext): Promise<Found[]>
}

const readPayments =
  (kind: 'unknown' | 'dispute' | 'missing'): IncidentSource['read'] =>
  async ({ payments }, context) =>
    (await payments(PaymentIncidents, { kind }, context)).incidents

/** The sources of all incidents. An incident's id consists of its source and its key there. */
export const SOURCES = {
  payment: {
    kind: 'unknown-payment',
    advice:
      'Read the status page of the payment processor. Platter retries; do not change the payment by hand.',
    read: readPayments('unknown'),
  },
  saga: {
    kind: 'overdue-saga',
    advice: 'Check the service that executes the step, and RabbitMQ. Then run: platter attention retry ID',
    read: async ({ incidents }) =>
      (await incidents.overdueSagas()).map(({ facts, state, attempt, ...row }) => {
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
    read: async ({ incidents }) =>
      (await incidents.deadLetters()).map(({ id, command, step, deaths, ...row }) => ({
        ...row,
        key: id,
        what: step === null ? command : `${command} (${step})`,
        count: deaths,
      })),
  },
  dispute: {
    kind: 'open-dispute',
    advice: 'Respond with evidence at the payment processor before the deadline, or accept the loss there.',
    read: readPayments('dispute'),
  },
  refund: {
    kind: 'failed-refund',
    advice: FAILED_REFUND,
    read: async ({ incidents }) =>
      (await incidents.failedRefunds()).map(({ amount, ...row }) => ({
        ...row,
        what: `refund of ${formatAmount(cents(amount))}`,
        reason: 'The processor could not refund. The customer has received no money.',
      })),
  },
  missing: {
    kind: 'failed-refund',
    advice: FAILED_REFUND,
    read: readPayments('missing'),
  },
  order: {
    kind: 'order-unaccepted',
    advice: 'Call the restaurant. Without its start the order is cancelled and refunded.',
    read: async ({ incidents, startWithinMs }) =>
      (await incidents.unstartedOrders(startWithinMs)).map(
        ({ restaurantApiKey, phone, cancelledAt, ...row }) => ({
          ...row,
          what: `restaurant ${restaurantApiKey}`,
          reason: `The restaurant has not started the order. It is cancelled at ${isoTime(cancelledAt)}.${telephone(phone)}`,
        }),
      ),
  },
  notice: {
    kind: 'cancellation-unconfirmed',
    advice:
      'Call the restaurant: it must not prepare the order. The notice is repeated for a day, until the webhook confirms it.',
    read: async ({ incidents }) =>
      (await incidents.unconfirmedCancellations()).map(({ restaurantApiKey, phone, attempts, ...row }) => ({
        ...row,
        what: `restaurant ${restaurantApiKey}`,
        reason: `The order is cancelled, and the restaurant, which may prepare it, has not confirmed that.${telephone(phone)}`,
        count: attempts,
      })),
  },
  mismatch: {
    kind: 'reconciliation-mismatch',
    advice:
      'Run: platter orders show ORDER. Correct the difference, at the processor if necessary. Then run: platter attention retry ID',
    read: async ({ alerts }) =>
      (await alerts.mismatches()).map(({ id, rule, detail, ...row }) => ({
        ...row,
        key: id,
        what: rule,
        reason: detail,
      })),
  },
  reconciliation: {
    kind: 'reconciliation-overdue',
    advice: 'Read in the log of orders why "reconcile daily" fails. Then run: platter attention retry ID',
    read: async ({ alerts }) =>
      (await alerts.overdueReconciliation()).map(({ key, at, finishedAt }) => ({
        key,
        at,
        orderApiKey: null,
        what: 'daily reconciliation',
        reason: `None has ended since ${isoTime(finishedAt)}.`,
      })),
  },
  alert: {
    kind: 'alert-undelivered',
    advice: 'Check the receiver of the alerts. Then run: platter alerts test',
    read: async ({ alerts, channels }) => {
      const configured = channels.map(({ name }) => name)
      return (await alerts.undelivered(configured)).map(({ channel, reason, attempts, at }) => ({
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
    read: async ({ bus }, { requestId }) => {
      const question = { olderThanMs: UNATTENDED_FOR_MS, before: null, limit: MOST_INCIDENTS }
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

const telephone = (phone: string | null): string => (phone ? ` Telephone: ${phone}.` : '')

export type Source = keyof typeof SOURCES
export const SOURCE_NAMES = Object.keys(SOURCES) as Source[]
