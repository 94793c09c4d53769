import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { cents } from '@platter/contracts'
import { expect } from 'vitest'
import { declineOf } from '#/domain/refusals.ts'
import type { Answer, Effect } from '#/domain/learn.ts'
import type { Processor, ProcessorBook } from '#/outside/processor.ts'

/**
 * Milliseconds that a processor waits for an answer: longer than a test may take, so that a busy machine is no fault, and
 * for the impatient one shorter than a slow answer. Its timer starts first, so that it ends first on any machine.
 */
export const ANSWER_WITHIN_MS = 60_000
export const IMPATIENT_MS = 100
export const SLOW_MS = 200

export type ContractFault =
  | 'drop-request'
  | 'drop-reply'
  | 'error-after-effect'
  | 'slow'
  | 'in-progress'
  | 'rate-limited'
  | 'wrong-amount'

export type World = {
  processor: Processor & ProcessorBook
  /** The same processor, which waits for IMPATIENT_MS only. */
  impatient: Processor
  /** The same processor at an address where nobody is. */
  unreachable: Processor
  /** Lets the next request of this kind meet a fault; `slow` takes SLOW_MS. */
  fault(fault: ContractFault, on: Move | 'tokenize'): void | Promise<void>
  /** What the processor's own book says was done for an order, in order. */
  effects(reference: string): string[]
}

type Move = 'authorize' | 'capture' | 'void' | 'refund'
const AMOUNT = cents(1075)
const CARD = { cardNumber: '4242424242424242', cvv: '314', expirationMonth: '05', expirationYear: '39' }

const newReference = () => randomBytes(24).toString('hex')

async function tokenOf({ processor }: World, cardNumber = CARD.cardNumber): Promise<string> {
  const answer = await processor.tokenize({ ...CARD, cardNumber })
  if (answer.kind !== 'yes') throw new Error(`no token: ${JSON.stringify(answer)}`)
  return answer.token
}

async function newHold(world: World) {
  const reference = newReference()
  return {
    idempotencyKey: `${reference}:authorize:1`,
    reference,
    amount: AMOUNT,
    token: await tokenOf(world),
  }
}

async function idOf(answer: Promise<Answer<Effect>>): Promise<string> {
  const said = await answer
  if (said.kind !== 'yes') throw new Error(`no effect: ${JSON.stringify(said)}`)
  return said.id
}

/** A fresh order, brought to where `move` is possible, and the move itself with always the same key. */
async function before(world: World, move: Move) {
  const { processor } = world
  const hold = await newHold(world)
  const { reference, token } = hold
  if (move === 'authorize')
    return { reference, token, did: [], ask: (by: Processor = processor) => by.authorize(hold) }
  const id = await idOf(processor.authorize(hold))
  const call = { idempotencyKey: `${reference}:${move}:1`, id, amount: AMOUNT }
  if (move !== 'refund')
    return { reference, token, did: ['authorize'], ask: (by: Processor = processor) => by[move](call) }
  await processor.capture({ ...call, idempotencyKey: `${reference}:capture:1` })
  const ask = (by: Processor = processor) => by.refund(call)
  return { reference, token, did: ['authorize', 'capture'], ask }
}

/** Only a slow answer needs a caller that gives up. */
const askerFor = (world: World, fault: ContractFault) => world[fault === 'slow' ? 'impatient' : 'processor']

type Promised = (world: World) => Promise<void>

/** Every promise of the `Processor` interface, by its title; whatever is a processor keeps them all. */
export const PROMISES: Readonly<Record<string, Promised>> = {
  'a card becomes a token, its brand and its last four digits': async ({ processor }) => {
    const made = await processor.tokenize(CARD)
    expect(made).toMatchObject({ kind: 'yes', brand: 'visa', lastFour: '4242' })
    expect(JSON.stringify(made)).not.toMatch(/424242|314/)
  },

  'a number of no card is a definite no': async ({ processor }) => {
    const answer = await processor.tokenize({ ...CARD, cardNumber: '4242424242424241' })
    expect(answer).toMatchObject({ kind: 'no', code: 'card_declined' })
  },

  'a token that never was is a definite no': async (world) => {
    const hold = { ...(await newHold(world)), token: 'tok_nobody' }
    expect(await world.processor.authorize(hold)).toMatchObject({ kind: 'no' })
    expect(world.effects(hold.reference)).toEqual([])
  },

  'an amount below the minimum is a definite no, and nothing is held': async (world) => {
    const hold = { ...(await newHold(world)), amount: cents(49) }
    const answer = await world.processor.authorize(hold)
    expect(answer.kind === 'no' && declineOf(answer).code).toBe('below-card-minimum')
    expect(world.effects(hold.reference)).toEqual([])
    const smallest = { ...(await newHold(world)), amount: cents(50) }
    expect(await world.processor.authorize(smallest)).toMatchObject({ kind: 'yes' })
  },

  'a token serves for one order after the other': async (world) => {
    const [first, second] = [await newHold(world), await newHold(world)]
    expect(await world.processor.authorize(first)).toMatchObject({ kind: 'yes' })
    expect(await world.processor.authorize({ ...second, token: first.token })).toMatchObject({ kind: 'yes' })
  },

  'one key with one set of values has one effect, however many ask at once': async (world) => {
    const { reference, ask } = await before(world, 'authorize')
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask()))
    expect(new Set(answers.map(({ kind }) => kind)).has('no')).toBe(false)
    expect(answers).toContainEqual(await ask())
    expect(world.effects(reference)).toEqual(['authorize'])
  },

  'a key with other values is unknown, for a person, and without effect': async (world) => {
    const hold = await newHold(world)
    await world.processor.authorize(hold)
    const answer = await world.processor.authorize({ ...hold, amount: cents(AMOUNT + 1) })
    expect(answer).toMatchObject({ kind: 'unknown', alarm: true })
    expect(world.effects(hold.reference)).toEqual(['authorize'])
  },

  'its book of a time has every charge once, with its order, and says where to go on': async (world) => {
    const from = Math.floor(Date.now() / 1000)
    const holds = []
    for (let count = 0; count < 30; count++) holds.push(await newHold(world))
    for (const hold of holds) await idOf(world.processor.authorize(hold))
    const time = { from, to: Math.floor(Date.now() / 1000) + 1 }
    const listed: string[] = []
    let after: string | null = null
    do {
      const page = await world.processor.list({ ...time, after })
      if (page.kind !== 'yes') throw new Error(`no page: ${JSON.stringify(page)}`)
      listed.push(...page.charges.map(({ reference, status, amount }) => `${reference} ${status} ${amount}`))
      after = page.after
    } while (after !== null)
    const ours = holds.map(({ reference }) => `${reference} authorized ${AMOUNT}`)
    expect(listed.filter((one) => ours.includes(one)).toSorted()).toEqual(ours.toSorted())
    const earlier = await world.processor.list({ from: from - 100, to: from - 50, after: null })
    expect(earlier).toEqual({ kind: 'yes', charges: [], after: null })
  },

  'what is held is found with its amount': async (world) => {
    const hold = await newHold(world)
    const id = await idOf(world.processor.authorize(hold))
    const found = [{ id, amount: AMOUNT, status: 'authorized' }]
    expect(await world.processor.find(hold)).toEqual({ kind: 'yes', found })
  },

  'nothing is found of an order that was never sent': async (world) => {
    expect(await world.processor.find(await newHold(world))).toEqual({ kind: 'yes', found: [] })
  },

  'what was voided or refunded is not held or taken any more, and cannot be taken': async (world) => {
    for (const move of ['void', 'refund'] as const) {
      const { ask, ...order } = await before(world, move)
      const id = await idOf(ask())
      expect(
        await world.processor.capture({ id, idempotencyKey: newReference(), amount: AMOUNT }),
      ).toMatchObject({
        kind: 'no',
      })
      expect(world.effects(order.reference)).toEqual([...order.did, move])
    }
  },

  'what was taken cannot be voided, and what was not cannot be refunded': async (world) => {
    const held = await before(world, 'capture')
    const id = await idOf(world.processor.authorize(await newHold(world)))
    const taken = await idOf(held.ask())
    expect(await world.processor.void({ id: taken, idempotencyKey: newReference() })).toMatchObject({
      kind: 'no',
    })
    const refund = { id, idempotencyKey: newReference(), amount: AMOUNT }
    expect(await world.processor.refund(refund)).toMatchObject({ kind: 'no' })
  },

  'more than is held cannot be taken, more than was taken cannot be refunded': async (world) => {
    const amount = cents(AMOUNT + 1)
    const id = await idOf(world.processor.authorize(await newHold(world)))
    const asked = (move: string) => ({ id, amount, idempotencyKey: `${id}:${move}` })
    expect(await world.processor.capture(asked('capture'))).toMatchObject({ kind: 'no' })
    await world.processor.capture({ ...asked('capture-2'), amount: AMOUNT })
    expect(await world.processor.refund(asked('refund'))).toMatchObject({ kind: 'no' })
  },

  'a hold that nobody knows is a definite no': async ({ processor }) => {
    const call = { id: 'pi_nobody', idempotencyKey: newReference(), amount: AMOUNT }
    for (const move of ['capture', 'void', 'refund'] as const)
      expect(await processor[move]({ ...call, idempotencyKey: newReference() })).toMatchObject({ kind: 'no' })
  },

  'nobody there is unknown, and known not to have been sent': async (world) => {
    const answer = await world.unreachable.authorize(await newHold(world))
    expect(answer).toEqual({ kind: 'unknown', reason: 'ECONNREFUSED', sent: false })
  },

  'no answer about a card quotes the card': async (world) => {
    for (const fault of ['drop-request', 'drop-reply', 'error-after-effect', 'slow'] as const) {
      await world.fault(fault, 'tokenize')
      const answer = await askerFor(world, fault).tokenize(CARD)
      expect(answer).toMatchObject({ kind: 'unknown', sent: true })
      expect(JSON.stringify(answer)).not.toMatch(/424242|314/)
    }
    expect(await world.processor.tokenize(CARD)).toMatchObject({ kind: 'yes' })
  },

  ...declines(),
  ...promisesOf('authorize'),
  ...promisesOf('capture'),
  ...promisesOf('void'),
  ...promisesOf('refund'),
}

/** The test cards, as the answers of both processors have them and as our problems name them. */
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
      `the test card ${cardNumber} is refused as ${code}, ${declineCode}, and nothing is held`,
      async (world: World) => {
        const made = await world.processor.tokenize({ ...CARD, cardNumber })
        const hold = { ...(await newHold(world)), ...(made.kind === 'yes' && { token: made.token }) }
        const answer = made.kind === 'yes' ? await world.processor.authorize(hold) : made
        expect(answer.kind === 'no' ? declineOf(answer) : answer).toEqual({ code, declineCode })
        expect(await world.processor.find(hold)).toEqual({ kind: 'yes', found: [] })
        expect(world.effects(hold.reference)).toEqual([])
      },
    ]),
  )
}

const STATUS = { authorize: 'authorized', capture: 'captured', void: 'voided', refund: 'refunded' } as const

/** What holds of each move alike: one effect, and the true answer in the end, whatever goes wrong on the way. */
function promisesOf(move: Move): Record<string, Promised> {
  const onceAfter =
    (fault: ContractFault): Promised =>
    async (world) => {
      const { reference, token, did, ask } = await before(world, move)
      await world.fault(fault, move)
      expect(await ask(askerFor(world, fault))).toMatchObject({ kind: 'unknown', sent: true })
      const answer = await inTheEnd(ask)
      expect(answer).toEqual({ kind: 'yes', id: await idOf(ask()), amount: AMOUNT })
      expect(world.effects(reference)).toEqual([...did, move])
      const { id } = answer as Effect
      const found = [{ id, amount: AMOUNT, status: STATUS[move] }]
      expect(await world.processor.find({ reference, token })).toEqual({ kind: 'yes', found })
    }
  const unknownThenDone = (name: string) => `${move}: ${name} is unknown, and asked again it is done once`
  return {
    [`${move}: is done once under its key, and says the amount`]: async (world) => {
      const { reference, did, ask } = await before(world, move)
      const first = await ask()
      expect(first).toEqual({ kind: 'yes', id: await idOf(ask()), amount: AMOUNT })
      expect(world.effects(reference)).toEqual([...did, move])
    },
    [unknownThenDone('a request that is lost')]: onceAfter('drop-request'),
    [unknownThenDone('an answer that is lost')]: onceAfter('drop-reply'),
    [unknownThenDone('a 5xx after the effect')]: onceAfter('error-after-effect'),
    [unknownThenDone('an answer that comes too late')]: onceAfter('slow'),
    [unknownThenDone('409, the first one still runs,')]: onceAfter('in-progress'),
    [unknownThenDone('429')]: onceAfter('rate-limited'),
    [`${move}: another amount is told as it was said`]: async (world) => {
      const { ask } = await before(world, move)
      await world.fault('wrong-amount', move)
      expect(await ask()).toMatchObject({ kind: 'yes', amount: AMOUNT + 1 })
      expect(await ask()).toMatchObject({ kind: 'yes', amount: AMOUNT })
    },
  }
}

/** Asks until it is known, as settle does: the effect of an answer that comes too late is on its way. */
async function inTheEnd(ask: () => Promise<Answer<Effect>>): Promise<Answer<Effect>> {
  for (;;) {
    const answer = await ask()
    if (answer.kind !== 'unknown') return answer
    await wait(20)
  }
}
