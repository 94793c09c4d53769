import { DiscardAttention } from '@platter/contracts'
import { expect, test } from 'vitest'
import { operator, paidByCard, expectConforms } from './client.ts'
import { incidentsOf, retry, setUpDeadLetters } from './incidents.ts'
import { plantOverdue } from './planted.ts'

const deadLetter = setUpDeadLetters()

const discard = (id: string) =>
  operator<{ id: string; done: string; code: string }>('POST', `attention/${id}/discard`)

test('discard deletes a dead letter, and is a 404 attention-not-found for an overdue saga', async () => {
  const { id, orderApiKey } = await deadLetter()
  const { status, body } = await discard(id)
  expect([status, body.done]).toEqual([200, 'The message was deleted.'])
  expectConforms(DiscardAttention, body)
  expect(await incidentsOf(orderApiKey ?? '')).toEqual([])

  const apiKey = await paidByCard()
  await plantOverdue(apiKey)
  for (const other of [id, `saga_${apiKey}`, 'letter_unknown', 'nothing'])
    expect(await discard(other)).toMatchObject({ status: 404, body: { code: 'attention-not-found' } })
  expect(await incidentsOf(apiKey)).toMatchObject([{ kind: 'overdue-saga' }])
  await retry(`saga_${apiKey}`)
})
