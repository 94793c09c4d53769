import { expect, test } from 'vitest'
import { eventually, operator } from './client.ts'
import { incidentsOf, paidByCard, retry } from './incidents.ts'
import { ownStack } from './stack.ts'

/* A refund and a dispute that are made at the processor, as in its dashboard. */

type Story = {
  payment: { state: string; refunds: Record<string, unknown>[]; disputes: Record<string, unknown>[] }
}

async function dashboard<T>(path: string, body: object): Promise<T> {
  const response = await fetch(`${ownStack().urls.processor}/dashboard/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(response.status).toBe(200)
  return (await response.json()) as T
}

const storyOf = async (apiKey: string) => (await operator<Story>('GET', `orders/${apiKey}`)).body.payment

test('a refund and a dispute made at the processor are shown, and an open dispute is an incident until its end', async () => {
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
