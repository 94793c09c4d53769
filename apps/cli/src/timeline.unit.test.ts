import { GetOrderStory, type Refund } from '@platter/contracts'
import { expect, test } from 'vitest'
import { summaryOf, timelineOf } from '#/timeline.ts'

const story = GetOrderStory.response.parse(GetOrderStory.examples.response)
const refund: Refund = {
  apiKey: 'r',
  amount: 2.5,
  state: 'PENDING',
  reason: 'LATE',
  requestedBy: 'operator',
  borneBy: 'restaurant',
  date: 1_795_300_000,
}

test('the timeline contains each refund with its state', () => {
  const refunds = [refund, { ...refund, amount: 1, state: 'FAILED' as const }]
  const texts = timelineOf({ ...story, order: { ...story.order, refunds } }).map(({ what }) => what)
  expect(texts.slice(-2)).toEqual([
    'refund of 2.50 by the operator, LATE: PENDING',
    'refund of 1.00 by the operator, LATE: FAILED',
  ])
})

test('within one second, the authorization is requested before the restaurant has the order, and captured after it', () => {
  const { payment, statuses } = story
  if (!payment) throw new Error('the example has a payment')
  const at = payment.created
  const sameSecond = {
    ...story,
    statuses: statuses.slice(0, 2).map((one) => ({ ...one, date: at })),
    payment: { ...payment, updated: at },
  }
  expect(
    timelineOf(sameSecond)
      .filter((one) => one.at === at)
      .map(({ what }) => what),
  ).toEqual([
    'status PROCESSING',
    expect.stringMatching(/^authorization requested/) as string,
    'status AWAITING_PREPARATION',
    expect.stringMatching(/^last change of the payment/) as string,
  ])
})

test('the summary names an open dispute', () => {
  const dispute = { state: 'OPEN' as const, amount: 3.43, reason: 'fraudulent', respondBy: null }
  const [[, words] = []] = summaryOf({ ...story, order: { ...story.order, dispute } })
  expect(words).toMatch(/; dispute of 3\.43 OPEN$/)
})

test('the time of a payment is that of its last change, so that a refund is not read as a later capture', () => {
  const { payment } = story
  if (!payment) throw new Error('the example has a payment')
  const updated = payment.updated + 60
  const changed = timelineOf({ ...story, payment: { ...payment, updated } })
  expect(changed.filter(({ at }) => at === updated).map(({ what }) => what)).toEqual([
    'last change of the payment: captured as pi_3QfN2eJx8Kc1VbTz0aWm4rYd',
  ])
})
