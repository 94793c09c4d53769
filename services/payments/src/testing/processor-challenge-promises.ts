import { expect } from 'vitest'
import { declineOf } from '#/domain/declines.ts'
import {
  AMOUNT,
  CHALLENGED_CARD_NUMBER,
  orderOf,
  tokenOf,
  type Promised,
  type World,
} from '#/testing/processor-world.ts'

const RETURN_URL = 'https://shop.example/paid'

const newOrder = async (world: World) => orderOf(await tokenOf(world, CHALLENGED_CARD_NUMBER))

/** Returns an order whose customer must authenticate at the bank. */
async function challenged(world: World) {
  const call = { ...(await newOrder(world)), authentication: { returnUrl: RETURN_URL } }
  const challenge = await world.processor.authorize(call)
  if (challenge.kind !== 'challenge') throw new Error(`no challenge: ${JSON.stringify(challenge)}`)
  const { id } = challenge
  const { reference } = call
  const check = () => world.processor.check({ id })
  const cancel = () => world.processor.void({ id, idempotencyKey: `${reference}:void:1` })
  return { call, id, challenge, reference, check, cancel }
}

/** The promises of the type `Processor` about the authentication of a customer at the bank (3-D Secure). */
export const CHALLENGE_PROMISES: Readonly<Record<string, Promised>> = {
  'a client without authentication is declined, and nothing is authorized': async (world) => {
    const order = await newOrder(world)
    const result = await world.processor.authorize(order)
    expect(result).toMatchObject({ kind: 'no', declineCode: 'authentication_required' })
    expect(world.effects(order.reference)).toEqual([])
  },

  'an open challenge has a page of the bank, stays the same under its key, and authorizes nothing': async (
    world,
  ) => {
    const { call, challenge, check, reference } = await challenged(world)
    expect(URL.canParse(challenge.url)).toBe(true)
    expect(await world.processor.authorize(call)).toEqual(challenge)
    expect(await check()).toEqual(challenge)
    expect(world.effects(reference)).toEqual([])
  },

  'a repeated call returns the challenge whose first response was lost': async (world) => {
    const call = { ...(await newOrder(world)), authentication: { returnUrl: null } }
    await world.fault('drop-reply', 'authorize')
    expect(await world.processor.authorize(call)).toMatchObject({ kind: 'unknown' })
    const challenge = await world.processor.authorize(call)
    expect(challenge).toMatchObject({ kind: 'challenge' })
    expect(await world.processor.authorize(call)).toEqual(challenge)
  },

  'a confirmation at the bank authorizes the amount once, and it can be captured': async (world) => {
    const { id, check, reference } = await challenged(world)
    await world.endChallenge(id, 'yes')
    const authorized = { kind: 'yes', id, amount: AMOUNT, status: 'authorized' }
    expect([await check(), await check()]).toEqual([authorized, authorized])
    const capture = { id, amount: AMOUNT, idempotencyKey: `${reference}:capture:1` }
    expect(await world.processor.capture(capture)).toMatchObject({ kind: 'yes', amount: AMOUNT })
    expect(world.effects(reference)).toEqual(['authorize', 'capture'])
  },

  'a rejection at the bank is final, and a later confirmation changes nothing': async (world) => {
    const { id, check, reference } = await challenged(world)
    await world.endChallenge(id, 'no')
    const result = await check()
    expect(result.kind === 'no' && declineOf(result).code).toBe('card-declined')
    await world.endChallenge(id, 'yes')
    expect(await check()).toMatchObject({ kind: 'no' })
    expect(world.effects(reference)).toEqual([])
  },

  'an open challenge can be voided, and a later confirmation authorizes nothing': async (world) => {
    const { id, check, cancel, reference } = await challenged(world)
    expect(await cancel()).toMatchObject({ kind: 'yes' })
    expect(await cancel()).toMatchObject({ kind: 'yes' })
    await world.endChallenge(id, 'yes')
    expect(await check()).toMatchObject({ kind: 'no' })
    expect(world.effects(reference)).toEqual([])
  },

  'a void after the confirmation voids the authorization': async (world) => {
    const { id, cancel, reference } = await challenged(world)
    await world.endChallenge(id, 'yes')
    expect(await cancel()).toEqual({ kind: 'yes', id, amount: AMOUNT })
    expect(world.effects(reference)).toEqual(['authorize', 'void'])
  },
}
