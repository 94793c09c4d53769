import { expect, test } from 'vitest'
import { ADMISSION_CLASSES } from '#/operation.ts'
import { operations } from '#/public-operations.ts'

const namesOf = (admission: string) =>
  operations.filter((one) => one.admission === admission).map(({ name }) => name)

test('operations of restaurants and operators, and reads of orders, have priority; no other operation has', () => {
  const prior = operations.filter(
    ({ audience, owner, method }) => audience !== 'application' || (owner === 'orders' && method === 'GET'),
  )
  expect(namesOf('priority')).toEqual(prior.map(({ name }) => name))
})

test('orders are sent and validated in a class of their own, and so are passwords hashed', () => {
  expect(namesOf('order').toSorted()).toEqual(['send-order', 'validate-order'])
  expect(namesOf('password').toSorted()).toEqual(['register-user', 'signin'])
})

test('every admission class has operations', () => {
  expect(ADMISSION_CLASSES.filter((admission) => namesOf(admission).length === 0)).toEqual([])
})
