import { expect, test } from 'vitest'
import { sendTo } from '../support/api.ts'
import { eventually, expectOk, operator, readOrder, paidByCard } from './client.ts'
import { incidentsOf, retry } from './incidents.ts'
import { ownStack } from './stack.ts'

/* Refunds and disputes at the processor, as in its dashboard. */

type Story = {
  payment: { state: string; refunds: Record<string, unknown>[]; disputes: Record<string, unknown>[] }
}

const dashboard = async <T>(path: string, body: object): Promise<T> =>
  expectOk(await sendTo<T>(`${ownStack().urls.processor}/dashboard/${path}`, { body }))

const storyOf = async (apiKey: string) => (await operator<Story>('GET', `orders/${apiKey}`)).body.payment

test('the story has refunds and disputes of the processor; an open dispute is an incident', async () => {
  const reference = await paidByCard()
  await dashboard('refunds', { reference, amount: 100 })
  const { id } = await dashboard<{ id: string }>('disputes', { reference, amount: 150, reason: 'fraudulent' })
  const shown = await eventually(
    () => storyOf(reference),
    ({ refunds, disputes }) => refunds.length === 1 && disputes.length === 1,
  )
  expect(shown.refunds).toMatchObject([{ amount: 1, state: 'DONE', madeBy: 'processor' }])
  expect(shown.disputes).toMatchObject([{ id, amount: 1.5, state: 'OPEN', reason: 'fraudulent' }])
  expect(await incidentsOf(reference)).toMatchObject([{ kind: 'open-dispute', what: 'dispute of 1.50' }])
  expect((await retry(`dispute_${reference}`)).body.done).toContain('at the payment processor')
  await dashboard(`disputes/${id}/close`, { outcome: 'lost' })
  await eventually(
    () => incidentsOf(reference),
    (open) => open.length === 0,
  )
  expect((await storyOf(reference)).disputes).toMatchObject([{ state: 'LOST' }])
})

const mismatchesOf = async (apiKey: string, since: number) => {
  const { body } = await operator<{ mismatches: { orderApiKey: string }[] }>(
    'GET',
    `reconciliation?since=${since}`,
  )
  return body.mismatches.filter(({ orderApiKey }) => orderApiKey === apiKey)
}

test('refunds at the processor reduce the refundable amount, and reconcile without mismatch', async () => {
  const since = Math.floor(Date.now() / 1000)
  const reference = await paidByCard()
  const { total } = await readOrder(reference)
  await dashboard('refunds', { reference, amount: 100 })
  const partlyRefunded = await eventually(
    () => readOrder(reference),
    ({ refunds }) => refunds.length === 1,
  )
  expect(partlyRefunded).toMatchObject({ paymentState: 'CHARGED', refundedTotal: 1, dispute: null })
  expect(partlyRefunded.refunds).toMatchObject([{ requestedBy: 'processor', state: 'DONE', amount: 1 }])
  const refund = (amount: number) =>
    operator<{ detail: string }>('POST', `orders/${reference}/refunds`, { amount, reason: 'LATE' })
  const left = (total - 1).toFixed(2)
  expect(await refund(total)).toMatchObject({
    status: 422,
    body: { code: 'refund-too-large', detail: `At most ${left} can be refunded.` },
  })
  expect((await refund(1)).status).toBe(200)
  await eventually(
    () => readOrder(reference),
    ({ refundedTotal }) => refundedTotal === 2,
  )
  await dashboard('refunds', { reference, amount: Math.round((total - 2) * 100) })
  const fullyRefunded = await eventually(
    () => readOrder(reference),
    ({ paymentState }) => paymentState === 'REFUNDED',
  )
  expect(fullyRefunded.refundedTotal).toBe(total)
  // The dates are whole seconds, so entries of the same second have no order.
  const requestedBy = fullyRefunded.refunds.map((one) => one.requestedBy)
  expect(requestedBy.toSorted()).toEqual(['operator', 'processor', 'processor'])
  expect(await mismatchesOf(reference, since)).toEqual([])
})

test('a refund that fails later is FAILED and an incident, until a second refund succeeds', async () => {
  const reference = await paidByCard()
  const refund = () => operator('POST', `orders/${reference}/refunds`, { all: true, reason: 'QUALITY' })
  const incidents = async () => (await incidentsOf(reference)).map(({ kind }) => kind)
  expect((await refund()).status).toBe(200)
  const refunded = () =>
    eventually(
      () => readOrder(reference),
      ({ paymentState }) => paymentState === 'REFUNDED',
    )
  await refunded()
  await dashboard('refunds/fail', { reference })
  const failed = await eventually(
    () => readOrder(reference),
    ({ paymentState }) => paymentState === 'CHARGED',
  )
  expect(failed).toMatchObject({ refundedTotal: 0, refunds: [{ state: 'FAILED' }] })
  expect(await incidents()).toEqual(['failed-refund'])
  expect((await refund()).status).toBe(200)
  await refunded()
  expect(await incidents()).toEqual([])
})

test('a refund of a cancelled order that fails later is an incident, until the customer has the money', async () => {
  const reference = await paidByCard()
  const { total } = await readOrder(reference)
  const cancelled = await operator('POST', `orders/${reference}/cancel`, { reason: 'Power failure' })
  expect(cancelled.status).toBe(200)
  await eventually(
    () => readOrder(reference),
    ({ paymentState }) => paymentState === 'REFUNDED',
  )
  expect(await incidentsOf(reference)).toEqual([])
  await dashboard('refunds/fail', { reference })
  const [incident] = await eventually(
    () => incidentsOf(reference),
    (open) => open.length > 0,
  )
  expect(incident).toMatchObject({ kind: 'failed-refund', what: `refund of ${total.toFixed(2)}` })
  expect((await retry(`missing_${reference}`)).body.done).toContain('dashboard of the processor')
  await dashboard('refunds', { reference, amount: Math.round(total * 100) })
  await eventually(
    () => incidentsOf(reference),
    (open) => open.length === 0,
  )
})

test('an order has its open dispute with a respondBy deadline, and later the outcome WON', async () => {
  const reference = await paidByCard()
  const { id } = await dashboard<{ id: string }>('disputes', { reference, amount: 150, reason: 'fraudulent' })
  const disputed = await eventually(
    () => readOrder(reference),
    ({ dispute }) => dispute !== null,
  )
  expect(disputed).toMatchObject({
    paymentState: 'CHARGED',
    dispute: { state: 'OPEN', amount: 1.5, reason: 'fraudulent' },
  })
  expect(disputed.dispute?.respondBy).toBeGreaterThan(Date.now() / 1000)
  await dashboard(`disputes/${id}/close`, { outcome: 'won' })
  await eventually(
    () => readOrder(reference),
    ({ dispute }) => dispute?.state === 'WON',
  )
})

test('while the processor refuses refunds of a disputed charge, a refund is 409 charge-disputed, and a cancellation waits', async () => {
  const reference = await paidByCard()
  const { id } = await dashboard<{ id: string }>('disputes', { reference, amount: 150, isRefundable: false })
  await eventually(
    () => readOrder(reference),
    ({ dispute }) => dispute !== null,
  )
  const refund = await operator('POST', `orders/${reference}/refunds`, { amount: 1, reason: 'LATE' })
  expect(refund).toMatchObject({ status: 409, body: { code: 'charge-disputed' } })
  const cancelled = await operator('POST', `orders/${reference}/cancel`, { reason: 'Power failure' })
  expect(cancelled).toMatchObject({ status: 200, body: { paymentState: 'CHARGED' } })
  await eventually(
    async () => JSON.stringify(await storyOf(reference)),
    (story) => story.includes('the processor refused refund: charge_disputed'),
  )
  await dashboard(`disputes/${id}/close`, { outcome: 'won' })
  const refunded = await eventually(
    () => readOrder(reference),
    ({ paymentState }) => paymentState === 'REFUNDED',
  )
  expect(refunded.refundedTotal).toBe(refunded.total)
})
