import { expect, test } from 'vitest'
import { ADMISSION_CLASSES, problemsOf, respondsWithEvents, takesIdempotencyKey } from '#/operation.ts'
import { OrderStatuses } from '#/operations/order-statuses.ts'
import { GetOrder } from '#/operations/order.ts'
import { RestaurantOrdersStream } from '#/operations/restaurant-orders-stream.ts'
import { ValidateOrder } from '#/operations/validate-order.ts'
import { operations } from '#/public-operations.ts'

const namesOf = (admission: string) =>
  operations.filter((one) => one.admission === admission).map(({ name }) => name)

test('requests of restaurants and operators, and reads of orders, have priority; no others have it', () => {
  const prior = operations.filter(
    ({ audience, owner, method }) => audience !== 'application' || (owner === 'orders' && method === 'GET'),
  )
  expect(namesOf('priority')).toEqual(prior.map(({ name }) => name))
})

test('sending and validating orders is one class, and hashing passwords is another', () => {
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
  ['an operation without events', GetOrder, 'text/event-stream', false],
  ['one with both, for EventSource', OrderStatuses, 'text/event-stream', true],
  ['one with both, among other types', OrderStatuses, 'application/json, Text/Event-Stream;q=0.5', true],
  ['one with both, for JSON', OrderStatuses, 'application/json', false],
  ['one with both, without Accept', OrderStatuses, undefined, false],
  ['one with events only', RestaurantOrdersStream, undefined, true],
] as const)('%s responds with events: %s', (_name, operation, accept, hasEvents) => {
  expect(respondsWithEvents(operation, accept)).toBe(hasEvents)
})
