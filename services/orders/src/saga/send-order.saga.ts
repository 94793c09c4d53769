import {
  AccountsSave,
  PaymentsAuthorize,
  PaymentsCapture,
  PaymentsRelease,
  requestTimes,
  RestaurantsTransmit,
} from '@platter/contracts'
import type { SendOrderFacts } from '#/domain/saga-row.ts'
import { certain, pivot, saga, undoable } from './engine.ts'

const isCharged = ({ token }: SendOrderFacts) => token !== null
const hasSomethingToSave = ({ userApiKey, newCard, newAddress }: SendOrderFacts) =>
  userApiKey !== null && (newCard !== null || newAddress !== null)

/**
 * Specification 4.1: validate, charge, transmit. Validation (catalog.quote and accounts.resolve) comes before
 * anything is stored, see `check-order.ts`; this is what happens to an order once it is accepted. Above the
 * pivot everything can be undone; below it everything is said again until it is done.
 */
export const sendOrderSaga = saga<SendOrderFacts>([
  undoable('authorize', {
    when: isCharged,
    do: ({ total, token }) => ({ command: PaymentsAuthorize, data: { amount: total, token } }),
    done: { paymentState: 'AUTHORIZED' },
    undo: () => ({ command: PaymentsRelease, data: {} }),
    undone: { paymentState: 'VOIDED' },
    patienceMs: requestTimes.paymentReply,
  }),
  pivot('transmit', {
    do: () => ({ command: RestaurantsTransmit, data: {} }),
    done: { status: 'AWAITING_PREPARATION' },
    // A restaurant that could not be reached is tried again so soon; one that is being asked is left alone.
    patienceMs: 2_000,
  }),
  certain('capture', {
    when: isCharged,
    do: ({ total }) => ({ command: PaymentsCapture, data: { amount: total } }),
    done: { paymentState: 'CHARGED' },
    patienceMs: requestTimes.paymentReply,
  }),
  certain('save', {
    when: hasSomethingToSave,
    do: ({ userApiKey, newCard, newAddress }) => ({
      command: AccountsSave,
      data: { userApiKey, card: newCard, address: newAddress },
    }),
  }),
])
