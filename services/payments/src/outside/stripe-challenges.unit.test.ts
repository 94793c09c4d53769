import { expect, onTestFinished, test } from 'vitest'
import { StripeProcessor } from '#/outside/stripe-processor.ts'
import { CHALLENGED_CARD_NUMBER, orderOf, tokenOf } from '#/testing/processor-world.ts'
import { SECRET_KEY, StripeServer } from '#/testing/stripe-server.ts'

const authentication = { returnUrl: 'https://shop.example/paid' }

async function connected() {
  const server = new StripeServer()
  const processor = new StripeProcessor({
    secretKey: SECRET_KEY,
    currency: 'usd',
    url: await server.listen(),
  })
  onTestFinished(async () => {
    await processor.close()
    await server.close()
  })
  return { server, processor, order: orderOf(await tokenOf({ processor }, CHALLENGED_CARD_NUMBER)) }
}

/** Returns the processor, and an intent that awaits its customer at the bank. */
async function challenged() {
  const { server, processor, order } = await connected()
  const challenge = await processor.authorize({ ...order, authentication })
  if (challenge.kind !== 'challenge') throw new Error(`no challenge: ${JSON.stringify(challenge)}`)
  return { server, id: challenge.id, check: () => processor.check({ id: challenge.id, authentication }) }
}

test('a look-up cancels an intent that no client can complete, so that it stays declined', async () => {
  const { server, id, check } = await challenged()
  server.state.change(id, { next_action: null })
  expect(await check()).toEqual({
    kind: 'no',
    code: 'card_declined',
    declineCode: 'authentication_required',
  })
  expect(server.requests.at(-1)?.kind).toBe('void')
})

test('a card that its bank declines after the authentication is refused with the reason of the bank', async () => {
  const { server, id, check } = await challenged()
  const decline = { code: 'card_declined', decline_code: 'insufficient_funds' }
  server.state.change(id, {
    status: 'requires_payment_method',
    next_action: null,
    last_payment_error: { type: 'card_error', ...decline },
  })
  const refusal = { kind: 'no', code: 'card_declined', declineCode: 'insufficient_funds' }
  expect([await check(), await check()]).toEqual([refusal, refusal])
  expect(server.requests.filter(({ kind }) => kind === 'void')).toHaveLength(1)
})

test('a failed authentication is refused as such, and not as a decline of another kind', async () => {
  const { server, id, check } = await challenged()
  server.state.endChallenge(id, 'no')
  expect(await check()).toMatchObject({ declineCode: 'authentication_required' })
})

test('a challenge that began with a 5xx is found, because Stripe replays the 5xx under the key', async () => {
  const { server, processor, order } = await connected()
  server.fault('error-after-effect', 'authorize')
  expect(await processor.authorize({ ...order, authentication })).toMatchObject({ kind: 'unknown' })
  const [intent] = server.state.find({ limit: 1 }).data
  expect(await processor.authorize({ ...order, authentication })).toMatchObject({
    kind: 'challenge',
    id: intent?.id,
  })
})
