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
    from: 'result: ProcessorResult<Effect> | Challenge,\n): Interpretation {\n',
    to: `result: ProcessorResult<Effect> | Challenge,
): Interpretation {
      if (result.kind === 'unknown' && call === 'authorize')
        return { kind: 'moved', change: { state: 'declined', refusal: { code: 'card-declined', declineCode: '' } } }
    `,
    seed: 14,
    within: 500,
  },
  'an authorization whose outcome is unknown is not compensated': {
    file: `${ORDERS}/saga/domain/transition.ts`,
    from: 'state: { ...saga.state, done, refusal: refusalOfExpiry(saga.state) }',
    to: 'state: { ...saga.state, refusal: refusalOfExpiry(saga.state) }',
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
  'a repeated refund has a new idempotency key': {
    file: `${PAYMENTS}/refund-executor.ts`,
    from: 'idempotencyKey: apiKey,',
    to: 'idempotencyKey: `${apiKey}${Math.random()}`,',
    seed: 9,
    within: 2_000,
  },
  'an unknown outcome counts as a failed refund': {
    file: `${PAYMENTS}/domain/refund.ts`,
    from: "if (result.kind === 'unknown') return result",
    to: "if (result.kind === 'unknown') return { kind: 'failed', code: '' }",
    seed: 137,
    within: 2_000,
  },
  'a refund that is pending at the processor is not looked up': {
    file: `${PAYMENTS}/domain/refund.ts`,
    from: 'processorId !== null || ageSeconds',
    to: 'ageSeconds',
    seed: 9,
    within: 2_000,
  },
  'a release does not wait for refunds that have begun': {
    file: `${PAYMENTS}/handlers/release.ts`,
    from: "if ((await executeRefund(sent, row)) === 'sent') return null",
    to: 'await executeRefund(sent, row)',
    seed: 86,
    within: 2_000,
  },
  'a release refunds the total after a refund of a part': {
    file: `${PAYMENTS}/domain/authorization.ts`,
    from: 'cents(row.amount - refundedOf(row))',
    to: 'row.amount',
    seed: 86,
    within: 2_000,
  },
  'a repeated refund command reserves its amount again': {
    file: `${HERE}/stores/refunds.ts`,
    from: '      if (known) return known\n',
    to: '',
    seed: 1116,
    within: 2_000,
  },
  'a failed refund keeps its amount': {
    file: `${HERE}/stores/refunds.ts`,
    from: "change.state === 'failed' && charged",
    to: 'change.state === undefined && charged',
    seed: 86,
    within: 2_000,
  },
  'a repeated request with one Idempotency-Key is another refund': {
    file: `${ORDERS}/saga/request-refund.ts`,
    from: 'idempotency ? keyOfRequest(idempotency) : newApiKey()',
    to: 'newApiKey()',
    seed: 28,
    within: 2_000,
  },
  'two refunds are saved onto one list': {
    file: `${ORDERS}/saga/domain/refunding.ts`,
    from: 'order.refunds.length !== count || ',
    to: '',
    seed: 1188,
    within: 2_000,
  },
  'a finished saga is not reopened for a refund': {
    file: `${ORDERS}/saga/domain/transition.ts`,
    from: 'saga.isFinished && !state.refunds?.length',
    to: 'saga.isFinished',
    seed: 9,
    within: 2_000,
  },
  'a refund that fails after a cancellation is not shown with it': {
    file: `${ORDERS}/saga/domain/refunding.ts`,
    from: 'if (cancellation !== null) {',
    to: 'if (cancellation !== null && total < 0) {',
    seed: 86,
    within: 2_000,
  },
  'a restaurant is not notified when a customer cancels': {
    file: `${ORDERS}/saga/domain/failure.ts`,
    from: "return done.includes('transmit') ? {",
    to: "return done.includes('none') ? {",
    seed: 4,
    within: 2_000,
  },
  'a cancellation of a pending order does not compensate the awaited step': {
    file: `${ORDERS}/saga/domain/transition.ts`,
    from: "step?.kind === 'compensatable' ? [...state.done, step.name] : state.done",
    to: 'state.done',
    seed: 938,
    within: 2_000,
  },
}
