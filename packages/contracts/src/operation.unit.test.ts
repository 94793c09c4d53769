import { expect, test } from 'vitest'
import { ADMISSION_CLASSES, problemsOf, respondsWithEvents, takesIdempotencyKey } from '#/operation.ts'
import { OrderStatuses } from '#/operations/order-statuses.ts'
import { GetOrder } from '#/operations/order.ts'
import { RestaurantOrdersStream } from '#/operations/restaurant-orders-stream.ts'
import { ValidateOrder } from '#/operations/validate-order.ts'
import { operations } from '#/public-operations.ts'
import { Secret } from '#/secret.ts'

const namesOf = (admission: string) =>
  operations.filter((one) => one.admission === admission).map(({ name }) => name)

test('only requests outside the audience application, and reads of orders, have priority', () => {
  const prior = operations.filter(
    ({ audience, owner, method }) => audience !== 'application' || (owner === 'orders' && method === 'GET'),
  )
  expect(namesOf('priority')).toEqual(prior.map(({ name }) => name))
})

test('class order is send-order and validate-order; class password is register-user and signin', () => {
  expect(namesOf('order').toSorted()).toEqual(['send-order', 'validate-order'])
  expect(namesOf('password').toSorted()).toEqual(['register-user', 'signin'])
})

test('every admission class has operations', () => {
  expect(ADMISSION_CLASSES.filter((admission) => namesOf(admission).length === 0)).toEqual([])
})

test.each([
  ['a GET', { method: 'GET' }, false],
  ['a PUT', { method: 'PUT' }, false],
  ['a POST', { method: 'POST' }, true],
  ['a POST that changes nothing', { method: 'POST', changesNothing: true }, false],
] as const)('%s takes an Idempotency-Key: %s', (_name, change, takes) => {
  const { changesNothing: _, ...order } = ValidateOrder
  const operation = { ...order, ...change }
  expect(takesIdempotencyKey(operation)).toBe(takes)
  expect(problemsOf(operation).includes('idempotency-mismatch')).toBe(takes)
})

test.each([
  ['JSON only', GetOrder, 'text/event-stream', false],
  ['JSON and events, for EventSource', OrderStatuses, 'text/event-stream', true],
  ['JSON and events, for several types', OrderStatuses, 'application/json, Text/Event-Stream;q=0.5', true],
  ['JSON and events, for JSON', OrderStatuses, 'application/json', false],
  ['JSON and events, for any type except events', OrderStatuses, 'text/event-stream;q=0, */*', false],
  ['JSON and events, with parameters', OrderStatuses, 'text/event-stream;x=1;q=0.01', true],
  ['JSON and events, with the weight 0.000', OrderStatuses, '*/*,text/event-stream; x=1; Q=0.000', false],
  ['JSON and events, without Accept', OrderStatuses, undefined, false],
  ['events only', RestaurantOrdersStream, undefined, true],
] as const)('an operation with %s responds with events: %s', (_name, operation, accept, hasEvents) => {
  expect(respondsWithEvents(operation, accept)).toBe(hasEvents)
})

/** Returns the paths of the values that a schema adds to a body: defaults, and discriminators of unions. */
function addedBy(parsed: unknown, given: unknown): string[] {
  if (typeof parsed !== 'object' || parsed === null || parsed instanceof Secret) return []
  return Object.entries(parsed).flatMap(([name, value]) => {
    const before = (given as Record<string, unknown> | undefined)?.[name]
    if (before === undefined && value !== undefined) return [name]
    return addedBy(value, before).map((path) => `${Array.isArray(parsed) ? '[]' : name}.${path}`)
  })
}

// The fingerprint of an Idempotency-Key is computed from the parsed body. With a default for a new field, a retry after the upgrade
// has another fingerprint than its first request, and gets 422 idempotency-mismatch.
test('only the listed fields of requests have a default: a new field is `optional()`', () => {
  const added = operations
    .filter(takesIdempotencyKey)
    .flatMap(({ name, body, examples }) =>
      Object.values(examples.bodies ?? {}).flatMap((given) =>
        addedBy(body?.parse(given), given).map((path) => `${name}: ${path}`),
      ),
    )
  const ofRefunds = ['all', 'borneBy', 'includeDelivery', 'includeTip']
  expect([...new Set(added)].toSorted()).toEqual([
    ...ofRefunds.map((name) => `refund-order: ${name}`),
    ...ofRefunds.map((name) => `refund-restaurant-order: ${name}`),
    'send-order: address.saved',
    'send-order: card.saved',
    'send-order: items.[].customizationChoices',
    'send-order: recipient.guest',
    'send-order: test',
    'send-order: tip',
  ])
})
