import { expect, test } from 'vitest'
import { fresh } from '#/domain/saga-row.ts'
import { byAwaitedStep } from '#/saga/telemetry.ts'
import { card, cash } from '#/testing/sagas.ts'

const attributes = (step: string) => ({ 'platter.saga.step': step, 'platter.saga.compensating': false })

test('the gauges of a step count its card and cash orders together, with the age of the oldest', () => {
  const states = [
    { count: 90, seconds: 40, facts: card, state: { ...fresh, done: ['authorize'] } },
    { count: 3, seconds: 10, facts: cash, state: fresh },
    { count: 2, seconds: 5, facts: card, state: fresh },
  ]
  expect(byAwaitedStep(states)).toEqual([
    { count: 93, seconds: 40, attributes: attributes('transmit') },
    { count: 2, seconds: 5, attributes: attributes('authorize') },
  ])
})
