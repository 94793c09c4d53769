import type { Mutation } from './hooks.ts'

const ORDERS = 'services/orders/src'
const PAYMENTS = 'services/payments/src'
const HERE = 'tests/simulation'

/**
 * Bugs that the simulation must find: a text of the sources and its replacement. A bug in this folder represents a condition
 * of an SQL statement. The search begins at `seed`, the first that found the bug when it was planted, and tries `within` seeds,
 * because after a change another seed may find it.
 */
export const MUTATIONS: Readonly<Record<string, Mutation & { seed: number; within: number }>> = {
  'the version is not checked when a saga is saved': {
    file: `${HERE}/stores/sagas.ts`,
    from: ' || row.version !== from.version',
    to: '',
    seed: 117,
    within: 2_000,
  },
  'a message is acknowledged before it is handled': {
    file: 'packages/bus/src/consumer.ts',
    from: 'const isLastDelivery = redelivered && !noAck && !staysUnacknowledged',
    to: 'const isLastDelivery = !noAck && !staysUnacknowledged',
    seed: 1,
    within: 200,
  },
  'an unknown outcome counts as a declined card': {
    file: `${PAYMENTS}/domain/processor-result.ts`,
    from: 'result: ProcessorResult<Effect>,\n): Interpretation {\n',
    to: `result: ProcessorResult<Effect>,
): Interpretation {
      if (result.kind === 'unknown' && call === 'authorize')
        return { kind: 'moved', change: { state: 'declined', refusal: { code: 'card-declined', declineCode: '' } } }
    `,
    seed: 14,
    within: 500,
  },
  'an authorization whose outcome is unknown is not compensated': {
    file: `${ORDERS}/saga/domain/transition.ts`,
    from: 'state: { ...saga.state, done, refusal: tooLate }',
    to: 'state: { ...saga.state, refusal: tooLate }',
    seed: 6,
    within: 2_000,
  },
  'a repeated capture has a new idempotency key': {
    file: `${PAYMENTS}/domain/authorization.ts`,
    from: '`${orderApiKey}:capture:1`',
    to: '`${orderApiKey}:capture:${Math.random()}`',
    seed: 45,
    within: 2_000,
  },
  'a repeated authorization has a new idempotency key': {
    file: `${PAYMENTS}/domain/authorization.ts`,
    from: '`${reference}:authorize:1`',
    to: '`${reference}:authorize:${Math.random()}`',
    seed: 3,
    within: 500,
  },
  'an expired lease is not acquired by another replica': {
    file: `${HERE}/stores/deliveries.ts`,
    from: 'outcome === null && busyUntil <= world.now',
    to: 'outcome === null && busyUntil <= world.now && database.deliveries.size < 0',
    seed: 2,
    within: 500,
  },
  'a restaurant is not notified of the cancellation of an order': {
    file: `${ORDERS}/delivery/notify-cancellation.ts`,
    from: 'await cancel(link ?? defaultLink, sent)',
    to: 'sent',
    seed: 14,
    within: 1_000,
  },
  'an expired saga is failed after the pivot': {
    file: `${ORDERS}/saga/domain/transition.ts`,
    from: "awaited?.step.kind !== 'compensatable' || awaited.isCompensation",
    to: '!awaited || awaited.isCompensation',
    seed: 14,
    within: 2_000,
  },
  'an order that was answered as pending is not marked': {
    file: `${ORDERS}/placing/final-answer.ts`,
    from: '    await deps.orders.markAnsweredIfPending(apiKey)\n',
    to: '',
    seed: 41_362,
    within: 1_000,
  },
  'the webhook-id changes with each attempt': {
    file: `${ORDERS}/delivery/deliver.ts`,
    from: '`order_${order.apiKey}`',
    to: '`order_${order.apiKey}_${lease.attempt}`',
    seed: 18,
    within: 1_000,
  },
  'two requests with one key are both accepted': {
    file: `${HERE}/stores/sagas.ts`,
    from: 'if (database.keys.has(key))',
    to: 'if (database.keys.size < 0)',
    seed: 18,
    within: 2_000,
  },
  'a release does not query the outcome of an unknown authorization': {
    file: `${PAYMENTS}/domain/authorization.ts`,
    from: "if (row.state === 'sent') return authorizeOrFind(row)",
    to: "if (row.state === 'sent') return null",
    seed: 6,
    within: 2_000,
  },
  'a repeated authorization replaces the first one': {
    file: `${HERE}/stores/authorizations.ts`,
    from: 'read(orderApiKey) ?? write(orderApiKey, false,',
    to: 'write(orderApiKey, false,',
    seed: 138,
    within: 2_000,
  },
  'an order that was answered as pending fails without a cancellation': {
    file: `${ORDERS}/saga/domain/failure.ts`,
    from: '    cancellation: order.cancellation ?? (state.refusal && cancellationOf(facts, state.refusal, at)),\n',
    to: '',
    seed: 2,
    within: 2_000,
  },
  'a refund is shown as a voided authorization': {
    file: `${ORDERS}/saga/domain/failure.ts`,
    from: "UNPAID.includes(order.paymentState) ? 'VOIDED' : order.paymentState",
    to: "'VOIDED'",
    seed: 6,
    within: 2_000,
  },
  'a finished saga is not reopened when its order is cancelled': {
    file: `${ORDERS}/saga/domain/transition.ts`,
    from: '    { ...saga, isFinished: false },\n',
    to: '    saga,\n',
    seed: 6,
    within: 500,
  },
  'an order that its restaurant refused is captured': {
    file: `${ORDERS}/saga/domain/transition.ts`,
    from: "result.outcome === 'accepted'\n",
    to: "result.outcome !== 'unreachable'\n",
    seed: 1,
    within: 500,
  },
}
