import { RetryAttention } from '@platter/contracts'
import { expect, test } from 'vitest'
import { eventually, paidByCard, expectConforms } from './client.ts'
import { incidentsOf, retry, setUpDeadLetters } from './incidents.ts'
import { plantDeadLetter, plantOverdue, plantUnknown } from './planted.ts'

const deadLetter = setUpDeadLetters()

test('a retried dead letter is republished; one that fails again is listed under the same id', async () => {
  const { id, orderApiKey } = await deadLetter()
  const { status, body } = await retry(id)
  expect(status).toBe(200)
  expectConforms(RetryAttention, body)
  const [again] = await eventually(
    () => incidentsOf(orderApiKey ?? ''),
    (found) => found.length > 0,
  )
  expect(again?.id).toBe(id)
})

test('a retry deletes the dead letter of a command that this version does not have', async () => {
  const id = await plantDeadLetter()
  expect(await retry(`letter_${id}`)).toMatchObject({
    status: 200,
    body: { done: 'This version has no such command. The message was deleted.' },
  })
  expect(await retry(`letter_${id}`)).toMatchObject({ status: 404 })
})

test('a saga past its deadline is listed, and continues at once when it is retried', async () => {
  const apiKey = await paidByCard()
  await plantOverdue(apiKey)
  const [overdue] = await incidentsOf(apiKey)
  expect(overdue).toMatchObject({ kind: 'overdue-saga', what: 'capture', id: `saga_${apiKey}` })
  expect(await retry(`saga_${apiKey}`)).toMatchObject({
    status: 200,
    body: { done: 'The command of the saga is republished within a second.' },
  })
  const left = await eventually(
    () => incidentsOf(apiKey),
    (found) => found.length === 0,
  )
  expect(left).toEqual([])
})

test('a payment with an unknown outcome is listed, and a retry repeats its call to the payment processor', async () => {
  const apiKey = await paidByCard()
  await plantUnknown(apiKey)
  const [unknown] = await incidentsOf(apiKey)
  expect(unknown).toMatchObject({ kind: 'unknown-payment', what: 'capture', reason: 'ECONNRESET', count: 3 })
  expect(await retry(unknown?.id ?? '')).toMatchObject({
    status: 200,
    body: { done: 'The command of the saga is republished within a second.' },
  })
  const left = await eventually(
    () => incidentsOf(apiKey),
    (found) => found.length === 0,
  )
  expect(left).toEqual([])
})

test('404 attention-not-found: there is no open incident with this id', async () => {
  for (const id of ['nothing', 'saga_nobody', 'payment_nobody', 'letter_nobody', 'order_nobody'])
    expect(await retry(id)).toMatchObject({ status: 404, body: { code: 'attention-not-found' } })
})
