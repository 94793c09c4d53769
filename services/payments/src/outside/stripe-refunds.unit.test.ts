import { cents } from '@platter/contracts'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { findRefund } from '#/outside/processor.ts'
import { StripeProcessor } from '#/outside/stripe-processor.ts'
import { AMOUNT, orderOf, tokenOf } from '#/testing/processor-world.ts'
import { SECRET_KEY, StripeServer } from '#/testing/stripe-server.ts'

let server: StripeServer
let processor: StripeProcessor

beforeAll(async () => {
  server = new StripeServer()
  processor = new StripeProcessor({ secretKey: SECRET_KEY, currency: 'usd', url: await server.listen() })
})
afterAll(async () => {
  await processor.close()
  await server.close()
})

/** Returns the id of a captured charge. */
async function captured(): Promise<string> {
  const order = orderOf(await tokenOf({ processor }))
  const authorized = await processor.authorize(order)
  if (authorized.kind !== 'yes') throw new Error(`not authorized: ${JSON.stringify(authorized)}`)
  const { id } = authorized
  await processor.capture({ idempotencyKey: `${order.reference}:capture:1`, id, amount: AMOUNT })
  return id
}

test('a refund of a part stays unknown after a replayed 5xx while Stripe does not list it', async () => {
  const refund = { idempotencyKey: 'f1', id: await captured(), amount: cents(300) }
  server.fault('error-before-effect', 'refund')
  for (let attempt = 0; attempt < 3; attempt++)
    expect(await processor.refundPart(refund)).toMatchObject({ kind: 'unknown' })
})

test('a refund of a part is found after a replayed 5xx if Stripe made it', async () => {
  const refund = { idempotencyKey: 'f2', id: await captured(), amount: cents(300) }
  server.fault('error-after-effect', 'refund')
  expect(await processor.refundPart(refund)).toMatchObject({ kind: 'unknown' })
  expect(await processor.refundPart(refund)).toMatchObject({ kind: 'yes', found: { state: 'done' } })
})

test('a look-up finds a refund that is older than a page of later ones', async () => {
  const id = await captured()
  await processor.refundPart({ idempotencyKey: 'f3', id, amount: cents(1) })
  for (let one = 0; one < 100; one++) server.state.refund({ payment_intent: id, amount: 1 })
  expect(await findRefund(processor, { id, idempotencyKey: 'f3' })).toMatchObject({
    found: { state: 'done' },
  })
})

test('a whole refund is made once the reason of its refusal has ended, although Stripe replays the refusal', async () => {
  const id = await captured()
  const setRefundable = (amount: number) => server.state.change(id, { amount_received: amount })
  setRefundable(AMOUNT - 1)
  const refund = () => processor.refund({ idempotencyKey: 'f4', id, amount: AMOUNT })
  expect(await refund()).toMatchObject({ kind: 'no' })
  expect(await refund(), 'repeated').toMatchObject({ kind: 'no' })
  setRefundable(AMOUNT)
  const before = server.state.effects.length
  expect(await refund()).toEqual({ kind: 'yes', id, amount: AMOUNT })
  expect(await refund(), 'repeated').toEqual({ kind: 'yes', id, amount: AMOUNT })
  expect(server.state.effects.slice(before).map(({ kind }) => kind)).toEqual(['refund'])
})

test('a whole refund that Stripe has created as failed is made again, although Stripe replays that response', async () => {
  const id = await captured()
  const failed = { id: 're_1', amount: AMOUNT, currency: 'usd', payment_intent: id, status: 'failed' }
  vi.spyOn(server.state, 'refund').mockReturnValueOnce(failed as never)
  const before = server.state.effects.length
  const refund = () => processor.refund({ idempotencyKey: 'f5', id, amount: AMOUNT })
  await refund()
  expect(await refund(), 'repeated').toEqual({ kind: 'yes', id, amount: AMOUNT })
  expect(server.state.effects.slice(before).map(({ kind }) => kind)).toEqual(['refund'])
})
