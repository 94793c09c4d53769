import { expect } from 'vitest'
import { declineOf } from '#/domain/declines.ts'
import {
  AMOUNT,
  CARD,
  CHALLENGED_CARD_NUMBER,
  orderOf,
  type Promised,
  type World,
} from '#/testing/processor-world.ts'

const A_YEAR = 366

async function savedCard(world: World, cardNumber = CARD.cardNumber): Promise<string> {
  const processorToken = await world.clientToken({ ...CARD, cardNumber })
  const made = await world.processor.tokenize({ processorToken })
  if (made.kind !== 'yes') throw new Error(`no token: ${JSON.stringify(made)}`)
  return made.token
}

async function authorized({ processor }: World, token: string) {
  const order = orderOf(token)
  const result = await processor.authorize(order)
  if (result.kind !== 'yes') throw new Error(`not authorized: ${JSON.stringify(result)}`)
  const terms = (move: string) => ({ id: result.id, amount: AMOUNT, idempotencyKey: `${result.id}:${move}` })
  return { order, terms }
}

/**
 * The promises of the type `Processor` about saved cards that are charged a year later, replaced by their banks, or removed by
 * their owners.
 */
export const SAVED_CARD_PROMISES: Readonly<Record<string, Promised>> = {
  'a saved card can be charged a year later': async (world) => {
    const token = await savedCard(world)
    await authorized(world, token)
    await world.after(A_YEAR, async () => {
      const { order, terms } = await authorized(world, token)
      expect(await world.processor.capture(terms('capture'))).toMatchObject({ kind: 'yes', amount: AMOUNT })
      expect(world.effects(order.reference)).toEqual(['authorize', 'capture'])
    })
  },

  'the bank challenges a saved card again a year later': async (world) => {
    const token = await savedCard(world, CHALLENGED_CARD_NUMBER)
    const challengeOnce = async () => {
      const order = { ...orderOf(token), authentication: { returnUrl: 'https://shop.example/paid' } }
      const challenge = await world.processor.authorize(order)
      if (challenge.kind !== 'challenge') throw new Error(`no challenge: ${JSON.stringify(challenge)}`)
      await world.endChallenge(challenge.id, 'yes')
      const checked = await world.processor.check({ ...challenge, authentication: order.authentication })
      expect(checked).toMatchObject({ kind: 'yes', status: 'authorized', amount: AMOUNT })
      expect(world.effects(order.reference)).toEqual(['authorize'])
    }
    await challengeOnce()
    await world.after(A_YEAR, challengeOnce)
  },

  'a card that its bank has replaced is authorized under its token, and has new digits and a new expiry':
    async (world) => {
      const token = await savedCard(world)
      const replacement = { lastFour: '1881', expirationMonth: '01', expirationYear: '45' }
      await world.replaceCard(token, replacement)
      expect(await world.processor.card({ token })).toMatchObject({
        kind: 'yes',
        ...replacement,
        brand: 'visa',
      })
      await authorized(world, token)
    },

  'the details of a card that the processor does not have are a final refusal': async ({ processor }) => {
    for (const token of ['tok_of_another_processor', 'cus_00000000000099:pm_00000000000099'])
      expect(await processor.card({ token })).toMatchObject({ kind: 'no' })
  },

  'a detached card cannot be charged, however often it is detached': async (world) => {
    const token = await savedCard(world)
    await authorized(world, token)
    for (let count = 0; count < 3; count++)
      expect(await world.processor.detach({ token })).toMatchObject({ kind: 'yes' })
    const order = orderOf(token)
    const result = await world.processor.authorize(order)
    expect(result.kind === 'no' && declineOf(result).code).toBe('payment-not-possible')
    expect(world.effects(order.reference)).toEqual([])
  },

  'an order of a detached card can be captured, voided, refunded and found': async (world) => {
    const token = await savedCard(world)
    const [kept, released] = [await authorized(world, token), await authorized(world, token)]
    await world.processor.detach({ token })
    expect(await world.processor.capture(kept.terms('capture'))).toMatchObject({ kind: 'yes' })
    expect(await world.processor.void(released.terms('void'))).toMatchObject({ kind: 'yes' })
    const found = { id: kept.terms('').id, amount: AMOUNT, status: 'captured' }
    expect(await world.processor.find(kept.order)).toEqual({ kind: 'yes', found: [found] })
    expect(await world.processor.refund(kept.terms('refund'))).toMatchObject({ kind: 'yes' })
    expect(world.effects(kept.order.reference)).toEqual(['authorize', 'capture', 'refund'])
    expect(world.effects(released.order.reference)).toEqual(['authorize', 'void'])
  },

  'a repeated authorization from before the detachment returns its result': async (world) => {
    const token = await savedCard(world)
    const order = orderOf(token)
    await world.fault('drop-reply', 'authorize')
    expect(await world.processor.authorize(order)).toMatchObject({ kind: 'unknown' })
    await world.processor.detach({ token })
    expect(await world.processor.authorize(order)).toMatchObject({ kind: 'yes', amount: AMOUNT })
    expect(world.effects(order.reference)).toEqual(['authorize'])
  },

  'a detachment without a response is unknown, and succeeds when it is repeated': async (world) => {
    for (const fault of ['drop-request', 'drop-reply', 'error-after-effect', 'rate-limited'] as const) {
      const token = await savedCard(world)
      await world.fault(fault, 'detach')
      expect(await world.processor.detach({ token })).toMatchObject({ kind: 'unknown' })
      expect(await world.processor.detach({ token })).toMatchObject({ kind: 'yes' })
    }
    expect(await world.unreachable.detach({ token: await savedCard(world) })).toMatchObject({
      kind: 'unknown',
    })
  },

  'a card that the processor does not have cannot be detached': async ({ processor }) => {
    for (const token of ['tok_of_another_processor', 'cus_00000000000099:pm_00000000000099'])
      expect(await processor.detach({ token })).toMatchObject({ kind: 'no' })
  },
}
