import { cardTimes, type PaymentAction, type Refusal } from '@platter/contracts'
import type { SagaOrder } from '#/domain/order-state.ts'
import type { Saga, SendOrderFacts, State } from '#/domain/saga-row.ts'
import { tooLate } from '#/saga/domain/failure.ts'

/* The bank awaits the customer's authentication: the step authorize has no result, and the processor is polled until it has one. */

/** The delay of the first poll. Later ones follow after 2 s to 12 s, ±20 % (store/sagas.ts), so a lost event delays an order by 15 s. */
const POLL_MS = 10_000

const notConfirmed: Refusal = {
  code: 'card-declined',
  detail: 'The payment was not confirmed at the bank in time. Your card was not charged.',
}

/** The data of the authorization. Equal in each repetition, because all use one idempotency key. */
export const authorizationOf = (facts: SendOrderFacts) => ({
  amount: facts.total,
  token: facts.token,
  authentication: facts.authentication,
  restaurantName: facts.restaurantName,
  savesCard: facts.userApiKey !== null && facts.newCard !== null,
})

/** Returns whether the bank awaits the customer's authentication. */
export const isChallenged = ({ challenge, done, refusal }: State): boolean =>
  challenge !== undefined && refusal === null && !done.includes('authorize')

/** Returns the refusal of an order whose card was not authorized before its deadline. */
export const refusalOfExpiry = (state: State): Refusal => (isChallenged(state) ? notConfirmed : tooLate)

/**
 * Returns the order and its saga while the bank awaits the customer; null if they are already in this state, and for any other
 * step.
 */
export function recordChallenge(
  order: SagaOrder,
  saga: Saga,
  { step, isCompensation, action }: { step: string; isCompensation: boolean; action: PaymentAction },
): { order: SagaOrder; saga: Saga; delivery: null; command: null } | null {
  const { state, version } = saga
  if (state.challenge || step !== 'authorize' || isCompensation) return null
  const next = { ...state, challenge: { expires: action.expires } }
  return {
    order: { ...order, paymentAction: action },
    saga: { ...saga, version: version + 1, attempt: 1, state: next },
    delivery: null,
    command: null,
  }
}

/** The deadline does not follow from `expires`, which payments computed: with a fast clock here, a challenge would end at once. */
const TIMES = { retryInMs: POLL_MS, deadlineInMs: cardTimes.challenge }

/** Returns the times of a challenge that begins; null for any other state. */
export const challengeTimes = ({ paymentAction }: SagaOrder): typeof TIMES | null =>
  paymentAction ? TIMES : null
