import { setTimeout as wait } from 'node:timers/promises'
import { cents } from '@platter/contracts'
import { expect } from 'vitest'
import { declineOf } from '#/domain/declines.ts'
import type { Challenge, Effect, ProcessorResult } from '#/domain/processor-result.ts'
import type { Processor } from '#/outside/processor.ts'
import { CHALLENGE_PROMISES } from '#/testing/processor-challenge-promises.ts'
import {
  AMOUNT,
  CARD,
  newReference,
  orderOf,
  tokenOf,
  type ContractFault,
  type Move,
  type Promised,
  type World,
} from '#/testing/processor-world.ts'
import { SAVED_CARD_PROMISES } from '#/testing/processor-saved-card-promises.ts'
import { TOKEN_PROMISES } from '#/testing/processor-token-promises.ts'

/**
 * Time limits of a call in milliseconds. CALL_WITHIN_MS is longer than a test may take, so that a busy machine is not a fault.
 * IMPATIENT_MS is shorter than a slow response. Its timer starts first, so it also ends first on any machine.
 */
export const CALL_WITHIN_MS = 60_000
export const IMPATIENT_MS = 100
export const SLOW_MS = 200

export type { World } from '#/testing/processor-world.ts'
type Known = Promise<ProcessorResult<Effect>>

const newOrder = async (world: World) => orderOf(await tokenOf(world))

async function idOf(call: Promise<ProcessorResult<Effect> | Challenge>): Promise<string> {
  const result = await call
  if (result.kind !== 'yes') throw new Error(`no effect: ${JSON.stringify(result)}`)
  return result.id
}

/** Returns a new order in a state that allows `move`, and the call for it, always with the same key. */
async function before(world: World, move: Move) {
  const { processor } = world
  const order = await newOrder(world)
  const { reference, token } = order
  if (move === 'authorize')
    return { reference, token, did: [], call: (by: Processor = processor) => by.authorize(order) as Known }
  const id = await idOf(processor.authorize(order))
  const terms = { idempotencyKey: `${reference}:${move}:1`, id, amount: AMOUNT }
  if (move !== 'refund')
    return { reference, token, did: ['authorize'], call: (by: Processor = processor) => by[move](terms) }
  await processor.capture({ ...terms, idempotencyKey: `${reference}:capture:1` })
  const refund = (by: Processor = processor) => by.refund(terms)
  return { reference, token, did: ['authorize', 'capture'], call: refund }
}

/** Returns the processor for a fault: a slow response requires one with a short time limit. */
const callerFor = (world: World, fault: ContractFault) => world[fault === 'slow' ? 'impatient' : 'processor']

/** All promises of the type `Processor`, by title. Every processor is tested against them. */
export const PROMISES: Readonly<Record<string, Promised>> = {
  ...TOKEN_PROMISES,
  ...SAVED_CARD_PROMISES,
  ...CHALLENGE_PROMISES,

  'an unknown token is a final refusal': async (world) => {
    const order = { ...(await newOrder(world)), token: 'tok_unknown' }
    expect(await world.processor.authorize(order)).toMatchObject({ kind: 'no' })
    expect(world.effects(order.reference)).toEqual([])
  },

  'an amount below the minimum is a final refusal, and nothing is authorized': async (world) => {
    const order = { ...(await newOrder(world)), amount: cents(49) }
    const result = await world.processor.authorize(order)
    expect(result.kind === 'no' && declineOf(result).code).toBe('below-card-minimum')
    expect(world.effects(order.reference)).toEqual([])
    const smallest = { ...(await newOrder(world)), amount: cents(50) }
    expect(await world.processor.authorize(smallest)).toMatchObject({ kind: 'yes' })
  },

  'a token can be used for several orders': async (world) => {
    const [first, second] = [await newOrder(world), await newOrder(world)]
    expect(await world.processor.authorize(first)).toMatchObject({ kind: 'yes' })
    expect(await world.processor.authorize({ ...second, token: first.token })).toMatchObject({ kind: 'yes' })
  },

  'one key with the same values has one effect under any number of concurrent calls': async (world) => {
    const { reference, call } = await before(world, 'authorize')
    const results = await Promise.all(Array.from({ length: 20 }, () => call()))
    expect(new Set(results.map(({ kind }) => kind)).has('no')).toBe(false)
    expect(results).toContainEqual(await call())
    expect(world.effects(reference)).toEqual(['authorize'])
  },

  'a key with other values is unknown, needs an operator, and has no effect': async (world) => {
    const order = await newOrder(world)
    await world.processor.authorize(order)
    const result = await world.processor.authorize({ ...order, amount: cents(AMOUNT + 1) })
    expect(result).toMatchObject({ kind: 'unknown', needsOperator: true })
    expect(world.effects(order.reference)).toEqual(['authorize'])
  },

  'the list of a time has every charge once, with its order and the cursor of the next page': async (
    world,
  ) => {
    const from = Math.floor(Date.now() / 1000)
    const orders = []
    for (let count = 0; count < 30; count++) orders.push(await newOrder(world))
    for (const order of orders) await idOf(world.processor.authorize(order))
    const time = { from, to: Math.floor(Date.now() / 1000) + 1 }
    const listed: string[] = []
    let after: string | null = null
    do {
      const page = await world.processor.list({ ...time, after })
      if (page.kind !== 'yes') throw new Error(`no page: ${JSON.stringify(page)}`)
      listed.push(...page.charges.map(({ reference, status, amount }) => `${reference} ${status} ${amount}`))
      after = page.after
    } while (after !== null)
    const ours = orders.map(({ reference }) => `${reference} authorized ${AMOUNT}`)
    expect(listed.filter((one) => ours.includes(one)).toSorted()).toEqual(ours.toSorted())
    const earlier = await world.processor.list({ from: from - 100, to: from - 50, after: null })
    expect(earlier).toEqual({ kind: 'yes', charges: [], after: null })
  },

  'an authorization is found with its amount': async (world) => {
    const order = await newOrder(world)
    const id = await idOf(world.processor.authorize(order))
    const found = [{ id, amount: AMOUNT, status: 'authorized' }]
    expect(await world.processor.find(order)).toEqual({ kind: 'yes', found })
  },

  'nothing is found for an order that was never sent': async (world) => {
    expect(await world.processor.find(await newOrder(world))).toEqual({ kind: 'yes', found: [] })
  },

  'a voided or refunded charge cannot be captured': async (world) => {
    for (const move of ['void', 'refund'] as const) {
      const { call, ...order } = await before(world, move)
      const capture = { id: await idOf(call()), idempotencyKey: newReference(), amount: AMOUNT }
      expect(await world.processor.capture(capture)).toMatchObject({ kind: 'no' })
      expect(world.effects(order.reference)).toEqual([...order.did, move])
    }
  },

  'a captured charge cannot be voided, and an uncaptured one cannot be refunded': async (world) => {
    const authorized = await before(world, 'capture')
    const id = await idOf(world.processor.authorize(await newOrder(world)))
    const captured = { id: await idOf(authorized.call()), idempotencyKey: newReference() }
    expect(await world.processor.void(captured)).toMatchObject({ kind: 'no' })
    const refund = { id, idempotencyKey: newReference(), amount: AMOUNT }
    expect(await world.processor.refund(refund)).toMatchObject({ kind: 'no' })
  },

  'a capture cannot exceed the authorized amount, nor a refund the captured one': async (world) => {
    const amount = cents(AMOUNT + 1)
    const id = await idOf(world.processor.authorize(await newOrder(world)))
    const terms = (move: string) => ({ id, amount, idempotencyKey: `${id}:${move}` })
    expect(await world.processor.capture(terms('capture'))).toMatchObject({ kind: 'no' })
    await world.processor.capture({ ...terms('capture-2'), amount: AMOUNT })
    expect(await world.processor.refund(terms('refund'))).toMatchObject({ kind: 'no' })
  },

  'an unknown authorization is a final refusal': async ({ processor }) => {
    const terms = { id: 'pi_unknown', amount: AMOUNT }
    for (const move of ['capture', 'void', 'refund'] as const)
      expect(await processor[move]({ ...terms, idempotencyKey: newReference() })).toMatchObject({
        kind: 'no',
      })
  },

  'an unreachable processor is unknown, with the reason': async (world) => {
    const result = await world.unreachable.authorize(await newOrder(world))
    expect(result).toEqual({ kind: 'unknown', reason: 'ECONNREFUSED' })
  },

  'no result about a card quotes the card': async (world) => {
    for (const fault of ['drop-request', 'drop-reply', 'error-after-effect', 'slow'] as const) {
      await world.fault(fault, 'tokenize')
      const result = await callerFor(world, fault).tokenize(CARD)
      expect(result).toMatchObject({ kind: 'unknown' })
      expect(JSON.stringify(result)).not.toMatch(/424242|314/)
    }
    expect(await world.processor.tokenize(CARD)).toMatchObject({ kind: 'yes' })
  },

  ...declines(),
  ...promisesOf('authorize'),
  ...promisesOf('capture'),
  ...promisesOf('void'),
  ...promisesOf('refund'),
}

/** Returns the promises about test cards: the results of both processors, and the codes of the problem catalogue. */
function declines(): Record<string, Promised> {
  const cards = [
    ['4000000000000002', 'card-declined', 'generic_decline'],
    ['4000000000009995', 'card-declined', 'insufficient_funds'],
    ['4000000000000069', 'card-expired', 'expired_card'],
    ['4000000000000127', 'cvc-failed', 'incorrect_cvc'],
    ['4000000000000119', 'card-declined', 'processing_error'],
  ] as const
  return Object.fromEntries(
    cards.map(([cardNumber, code, declineCode]) => [
      `the test card ${cardNumber} is refused as ${code}, ${declineCode}, and nothing is authorized`,
      async (world: World) => {
        const made = await world.processor.tokenize({ ...CARD, cardNumber })
        const order = { ...(await newOrder(world)), ...(made.kind === 'yes' && { token: made.token }) }
        const result = made.kind === 'yes' ? await world.processor.authorize(order) : made
        expect(result.kind === 'no' ? declineOf(result) : result).toEqual({ code, declineCode })
        expect(await world.processor.find(order)).toEqual({ kind: 'yes', found: [] })
        expect(world.effects(order.reference)).toEqual([])
      },
    ]),
  )
}

const STATUS = { authorize: 'authorized', capture: 'captured', void: 'voided', refund: 'refunded' } as const

/** Returns the promises of one kind of call: one effect, and finally its true result, under any fault. */
function promisesOf(move: Move): Record<string, Promised> {
  const onceAfter =
    (fault: ContractFault): Promised =>
    async (world) => {
      const { reference, token, did, call } = await before(world, move)
      await world.fault(fault, move)
      expect(await call(callerFor(world, fault))).toMatchObject({ kind: 'unknown' })
      const result = await repeatUntilKnown(call)
      expect(result).toEqual({ kind: 'yes', id: await idOf(call()), amount: AMOUNT })
      expect(world.effects(reference)).toEqual([...did, move])
      const { id } = result as Effect
      const found = [{ id, amount: AMOUNT, status: STATUS[move] }]
      expect(await world.processor.find({ reference, token })).toEqual({ kind: 'yes', found })
    }
  const unknownThenDone = (name: string) => `${move}: ${name} is unknown, and a repeated call has one effect`
  return {
    [`${move}: has one effect under its key, and returns the amount`]: async (world) => {
      const { reference, did, call } = await before(world, move)
      const first = await call()
      expect(first).toEqual({ kind: 'yes', id: await idOf(call()), amount: AMOUNT })
      expect(world.effects(reference)).toEqual([...did, move])
    },
    [unknownThenDone('a lost request')]: onceAfter('drop-request'),
    [unknownThenDone('a lost response')]: onceAfter('drop-reply'),
    [unknownThenDone('a 5xx after the effect')]: onceAfter('error-after-effect'),
    [unknownThenDone('a late response')]: onceAfter('slow'),
    [unknownThenDone('409, the first call in progress,')]: onceAfter('in-progress'),
    [unknownThenDone('429')]: onceAfter('rate-limited'),
    [`${move}: another amount is returned as the processor sent it`]: async (world) => {
      const { call } = await before(world, move)
      await world.fault('wrong-amount', move)
      expect(await call()).toMatchObject({ kind: 'yes', amount: AMOUNT + 1 })
      expect(await call()).toMatchObject({ kind: 'yes', amount: AMOUNT })
    },
  }
}

/** Repeats the call until its result is known, as the saga does. The effect of a late response may still be pending. */
async function repeatUntilKnown(
  call: () => Promise<ProcessorResult<Effect>>,
): Promise<ProcessorResult<Effect>> {
  for (;;) {
    const result = await call()
    if (result.kind !== 'unknown') return result
    await wait(20)
  }
}
