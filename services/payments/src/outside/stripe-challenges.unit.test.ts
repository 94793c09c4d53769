import { expect, onTestFinished, test } from 'vitest'
import { StripeProcessor } from '#/outside/stripe-processor.ts'
import { CHALLENGED_CARD_NUMBER, orderOf, tokenOf } from '#/testing/processor-world.ts'
import { SECRET_KEY, StripeServer } from '#/testing/stripe-server.ts'

test('a look-up cancels an intent that no client can complete, so that it stays declined', async () => {
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
  const authentication = { returnUrl: 'https://shop.example/paid' }
  const order = orderOf(await tokenOf({ processor }, CHALLENGED_CARD_NUMBER))
  const challenge = await processor.authorize({ ...order, authentication })
  if (challenge.kind !== 'challenge') throw new Error(`no challenge: ${JSON.stringify(challenge)}`)
  server.state.change(challenge.id, { next_action: null })
  expect(await processor.check({ id: challenge.id, authentication })).toEqual({
    kind: 'no',
    code: 'card_declined',
    declineCode: 'authentication_required',
  })
  expect(server.requests.at(-1)?.kind).toBe('void')
})
