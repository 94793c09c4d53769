import type { Mutation } from './hooks.ts'

const ORDERS = 'services/orders/src'
const PAYMENTS = 'services/payments/src'
const STORES = 'tests/simulation/stores-of'

/** A bug that the simulation must find. The search begins at `seed`, the first seed that found the bug after its planting. */
export type PlantedBug = Mutation & { name: string; seed: number }

/**
 * Each bug of a file is a text of the file, a replacement, and a seed. A bug in a store in memory represents a condition of
 * an SQL statement.
 */
const bugsIn = (
  file: string,
  bugs: Readonly<Record<string, readonly [from: string, to: string, seed: number]>>,
): PlantedBug[] => Object.entries(bugs).map(([name, [from, to, seed]]) => ({ name, file, from, to, seed }))

export const MUTATIONS: readonly PlantedBug[] = [
  ...bugsIn(`${STORES}-orders.ts`, {
    'the version is not checked when a saga is saved': [' || row.saga.version !== from.version', '', 169],
    'two requests with one key are both accepted': ['if (keys.has(key))', 'if (keys.size < 0)', 18],
    'an expired lease is not acquired by another replica': [
      'isDeliveryDue(row) && orders',
      'isDeliveryDue(row) && deliveries.size < 0 && orders',
      2,
    ],
  }),
  ...bugsIn(`${ORDERS}/placing/repeated-request.ts`, {
    'a refusal denies the order of a concurrent request with its key': [
      'const isRefusal = error instanceof Problem && error.status < 500',
      'const isRefusal = false',
      270_398,
    ],
  }),
  ...bugsIn('packages/bus/src/consumer.ts', {
    'a message is acknowledged before it is handled': [
      'const isLastDelivery = redelivered && !noAck && !staysUnacknowledged',
      'const isLastDelivery = !noAck && !staysUnacknowledged',
      1,
    ],
  }),
  ...bugsIn(`${PAYMENTS}/domain/processor-result.ts`, {
    'an unknown outcome counts as a declined card': [
      'result: ProcessorResult<Effect> | Challenge,\n): Interpretation {\n',
      `result: ProcessorResult<Effect> | Challenge,
): Interpretation {
      if (result.kind === 'unknown' && call === 'authorize')
        return { kind: 'moved', change: { state: 'declined', refusal: { code: 'card-declined', declineCode: '' } } }
    `,
      15,
    ],
    'an unavailable bank counts as a no': [
      "if (result.kind === 'unknown') return unknown(result)\n  if (result.kind === 'challenge') {",
      "if (result.kind === 'unknown')\n    return { kind: 'moved', change: { state: 'declined', refusal: { code: 'card-declined', declineCode: '' } } }\n  if (result.kind === 'challenge') {",
      148,
    ],
  }),
  ...bugsIn(`${ORDERS}/saga/domain/transition.ts`, {
    'an authorization whose outcome is unknown is not compensated': [
      'state: { ...saga.state, done, refusal: refusalOfExpiry(saga.state) }',
      'state: { ...saga.state, refusal: refusalOfExpiry(saga.state) }',
      6,
    ],
    'an expired saga is failed after the pivot': [
      "awaited?.step.kind !== 'compensatable' || awaited.isCompensation",
      '!awaited || awaited.isCompensation',
      18,
    ],
    'a finished saga is not reopened when its order is cancelled': [
      '    { ...saga, isFinished: false },\n',
      '    saga,\n',
      40,
    ],
    'an order that its restaurant refused is captured': [
      "result.outcome === 'accepted'\n",
      "result.outcome !== 'unreachable'\n",
      1,
    ],
    'a finished saga is not reopened for a refund': [
      'saga.isFinished && !state.refunds?.length',
      'saga.isFinished',
      9,
    ],
    'a cancellation of a pending order does not compensate the awaited step': [
      "step?.kind === 'compensatable' ? [...state.done, step.name] : state.done",
      'state.done',
      938,
    ],
  }),
  ...bugsIn(`${PAYMENTS}/domain/authorization.ts`, {
    'a repeated capture has a new idempotency key': [
      '`${orderApiKey}:capture:1`',
      '`${orderApiKey}:capture:${Math.random()}`',
      94,
    ],
    'a repeated authorization has a new idempotency key': [
      '`${reference}:authorize:1`',
      '`${reference}:authorize:${Math.random()}`',
      18,
    ],
    'a release does not query the outcome of an unknown authorization': [
      "if (row.state === 'sent') return authorizeOrFind(row)",
      "if (row.state === 'sent') return null",
      6,
    ],
    'a late capture refunds the rest while a refund of a part is in progress': [
      "if (command.kind !== 'release' && row.state === 'captured' && refundedOf(row) > 0)",
      'if (row.ageSeconds < 0)',
      305_122,
    ],
    'a release refunds the total after a refund of a part': [
      'cents(row.amount - refundedOf(row))',
      'row.amount',
      86,
    ],
    'a challenged authorization is sent again under another key': [
      "call: { kind: 'check', id, authentication } }",
      "call: { ...authorizeOrFind({ ...row, state: 'sent' }), idempotencyKey: `${row.orderApiKey}:${Math.random()}` } as Call }",
      3,
    ],
    'a release does not void a challenge': [
      "if (row.state === 'authorized' || row.state === 'challenged')",
      "if (row.state === 'authorized')",
      195,
    ],
  }),
  ...bugsIn(`${ORDERS}/delivery/notify-cancellation.ts`, {
    'a restaurant is not notified of the cancellation of an order': [
      'await cancel(link ?? defaultLink, sent)',
      'sent',
      18,
    ],
  }),
  ...bugsIn(`${ORDERS}/placing/final-response.ts`, {
    'an order that was returned as pending is not marked': [
      '    await deps.orders.markRespondedIfPending(apiKey)\n',
      '',
      41_480,
    ],
    'an order whose client receives a 503 is marked as returned': [
      '  if (!last.order) throw outcomeUnknown()\n',
      `  void orders.markResponded(apiKey).catch(() => undefined)
      if (!last.order) throw outcomeUnknown()
      `,
      517_502,
    ],
    'an order that waits for its customer is not marked as returned': [
      '? pendingResult(deps, apiKey) : null',
      '? result : null',
      3,
    ],
  }),
  ...bugsIn(`${ORDERS}/delivery/deliver.ts`, {
    'the webhook-id changes with each attempt': [
      '`order_${order.apiKey}`',
      '`order_${order.apiKey}_${lease.attempt}`',
      18,
    ],
  }),
  ...bugsIn(`${PAYMENTS}/testing/memory-authorizations.ts`, {
    'a repeated authorization replaces the first one': ['find(orderApiKey) ??\n      put({', 'put({', 147],
  }),
  ...bugsIn(`${ORDERS}/saga/domain/failure.ts`, {
    'an order that was returned as pending fails without a cancellation': [
      '    cancellation: order.cancellation ?? (state.refusal && cancellationOf(facts, state.refusal, at)),\n',
      '',
      2,
    ],
    'a refund is shown as a voided authorization': [
      "UNPAID.includes(order.paymentState) ? 'VOIDED' : order.paymentState",
      "'VOIDED'",
      40,
    ],
    'a restaurant is not notified when a customer cancels': [
      "return done.includes('transmit') ? {",
      "return done.includes('none') ? {",
      4,
    ],
  }),
  ...bugsIn(`${PAYMENTS}/refund-executor.ts`, {
    'a repeated refund has a new idempotency key': [
      'idempotencyKey: apiKey,',
      'idempotencyKey: `${apiKey}${Math.random()}`,',
      9,
    ],
  }),
  ...bugsIn(`${PAYMENTS}/domain/refund.ts`, {
    'an unknown outcome counts as a failed refund': [
      "if (result.kind === 'unknown') return result",
      "if (result.kind === 'unknown') return { kind: 'failed', code: '' }",
      234,
    ],
    'a refund that is pending at the processor is not looked up': [
      'processorId !== null || ageSeconds',
      'ageSeconds',
      9,
    ],
  }),
  ...bugsIn(`${PAYMENTS}/handlers/release.ts`, {
    'a release does not wait for refunds that have begun': [
      "if ((await executeRefund(sent, row)) === 'sent') return null",
      'await executeRefund(sent, row)',
      86,
    ],
  }),
  ...bugsIn(`${STORES}-payments.ts`, {
    'a repeated refund command reserves its amount again': ['      if (known) return known\n', '', 1214],
    'a failed refund keeps its amount': [
      "changed.state === 'failed' && charged",
      'changed.state === undefined && charged',
      86,
    ],
  }),
  ...bugsIn(`${ORDERS}/saga/request-refund.ts`, {
    'a repeated request with one Idempotency-Key is another refund': [
      'idempotency ? keyOfRequest(idempotency) : newApiKey()',
      'newApiKey()',
      28,
    ],
  }),
  ...bugsIn(`${ORDERS}/saga/domain/refunding.ts`, {
    'two refunds are saved onto one list': ['order.refunds.length !== count || ', '', 1434],
    'a refund that fails after a cancellation is not shown with it': [
      'if (cancellation !== null) {',
      'if (cancellation !== null && total < 0) {',
      86,
    ],
  }),
  ...bugsIn(`${ORDERS}/saga/handlers/saga-reply.ts`, {
    'an order is not checked again after its challenge': [
      'await recheck(orderApiKey, requestId)',
      'null',
      27,
    ],
  }),
  ...bugsIn(`${ORDERS}/saga/domain/challenging.ts`, {
    'the action of a payment stays after its challenge': [
      'order.paymentAction ? { ...order, paymentAction: null } : order',
      'order',
      3,
    ],
    'a challenge is never polled': ['const POLL_MS = 10_000', 'const POLL_MS = 10_000_000', 3],
  }),
]
