import { deliveryOrder, keys, statuses } from '#/openapi/examples.ts'
import type { Pages } from '#/openapi/page.ts'

/** The delivery order of the other pages, as the operator sees it. */
const story = {
  order: deliveryOrder,
  applicationId: keys.application,
  outcome: 'transmitted',
  visible: true,
  statuses,
  saga: {
    state: 'completed',
    step: null,
    undo: false,
    version: 3,
    attempts: 1,
    done: ['authorize', 'transmit', 'capture'],
    undone: [],
    refusal: null,
    wakeAt: null,
    deadline: 1795199700,
    finished: 1795199402,
  },
  payment: {
    state: 'captured',
    amount: 25.45,
    processorId: 'pi_3QfN2eJx8Kc1VbTz0aWm4rYd',
    releaseRequested: null,
    refusal: null,
    attempts: 1,
    unknown: null,
    created: 1795199400,
    updated: 1795199402,
  },
  delivery: {
    link: 'webhook',
    attempts: 1,
    outcome: 'accepted',
    lastResult: null,
    busyUntil: 1795199412,
    deadline: 1795199520,
    cancellationAttempts: 0,
    cancellationAt: null,
  },
  requestId: '182a2cce-1191-4f2f-b816-c96c88181d5a',
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
}

export const operationsPages: Pages = {
  'order-story': {
    description:
      'Everything that is known of one order, whichever application placed it: the order, its history, its saga, its payment, its transmission. Also of an order that failed, which no client sees. In place of its apiKey the path takes the number of the order (`id`), which the console and the ticket show: 1 to 15 digits. Never a card number or a token.',
    answer: { description: 'The order and its story.', example: story },
  },
  reconciliation: {
    description:
      'Compares what orders, payments, the payment processor and the deliveries have, each of its own. A transmitted order that was not cancelled and is paid by card has exactly one captured charge of exactly its total; of any other order nothing is held or taken; a test order has no charge at all; a transmitted order has an accepted delivery. What is still under way is counted, and judged another time. One answer has as much as can be compared within a few seconds: as long as it is not `complete`, go on with the `Link` header.',
    query: { since: 1795113000 },
    answer: {
      description: 'The counts, and every mismatch.',
      example: {
        since: 1795113000,
        until: 1795199400,
        complete: true,
        counts: {
          orders: 1240,
          inProgress: 2,
          charged: 803,
          payments: 861,
          charges: 861,
          deliveries: 1198,
          mismatches: 1,
        },
        mismatches: [
          {
            orderApiKey: keys.order,
            rule: 'charge-amount',
            detail: 'The order is 25.45, the charge is 24.45.',
            disagree: ['orders', 'processor'],
            says: {
              orders: 'transmitted, card, 25.45, CHARGED',
              payments: 'captured 24.45 as pi_3QfN2eJx8Kc1VbTz0aWm4rYd',
              processor: 'captured 24.45 as pi_3QfN2eJx8Kc1VbTz0aWm4rYd',
              deliveries: 'accepted',
            },
          },
        ],
      },
    },
  },
  attention: {
    description:
      'What does not go on by itself, newest first: messages that could not be handled, sagas past their deadline, payments whose outcome the processor leaves open, and orders that their restaurant has not started in half of the time after which they are cancelled. Empty when all is well.',
    answer: {
      description: 'What needs a person.',
      example: [
        {
          id: `saga_${keys.order}`,
          kind: 'overdue-saga',
          orderApiKey: keys.order,
          what: 'capture',
          reason: 'The order is past its deadline.',
          count: 9,
          since: 1795199700,
        },
      ],
    },
  },
  'retry-attention': {
    description:
      'Tries again, after somebody has put right what was wrong: a dead letter is said again, a saga is woken now, the payment processor is asked again.',
    answer: {
      description: 'What was done.',
      example: { id: `saga_${keys.order}`, done: 'The saga was woken.' },
    },
  },
}
