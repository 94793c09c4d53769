import type { Bus } from '@platter/bus'
import {
  CatalogUnattended,
  cents,
  formatAmount,
  MissingRefunds,
  OpenDisputes,
  requestTimes,
  UnknownPayments,
  type Attention,
  type Before,
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
  unknownAfterMs: number
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
export type Page = { before: Before | null; limit: number }

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
          what: `dispute of ${formatAmount(amount)}`,
          reason: `The bank disputes the charge: ${reason}. ${deadline}.`,
        }
      }),
  },
  refund: {
    kind: 'failed-refund',
    advice: FAILED_REFUND,
    read: async ({ incidents }, page) =>
      (await incidents.failedRefunds(page)).map(({ amount, ...row }) => ({
        ...row,
        what: `refund of ${formatAmount(cents(amount))}`,
        reason: 'The processor could not refund. The customer has received no money.',
      })),
  },
  missing: {
    kind: 'failed-refund',
    advice: FAILED_REFUND,
    read: async ({ payments }, page, context) =>
      (await payments(MissingRefunds, page, context)).refunds.map(({ amount, ...row }) => ({
        ...row,
        what: `refund of ${formatAmount(amount)}`,
        reason:
          'The order is cancelled. Later its refund failed, or its dispute was won, so the customer does not have this amount.',
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
  reconciliation: {
    kind: 'reconciliation-overdue',
    advice: 'Read in the log of orders why "reconcile daily" fails. Then run: platter attention retry ID',
    read: async ({ alerts }, page) =>
      (await alerts.overdueReconciliation(page)).map(({ key, at, finishedAt }) => ({
        key,
        at,
        orderApiKey: null,
        what: 'daily reconciliation',
        reason: `None has ended since ${isoOf(finishedAt)}.`,
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
