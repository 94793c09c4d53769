import { cents, type Outcome, type Refusal } from '@platter/contracts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fresh, type Change, type SendOrderFacts, type State } from '#/domain/saga-row.ts'
import { givenUp, heard, next } from './engine.ts'
import { sendOrderSaga } from './send-order.saga.ts'

const cashOrder: SendOrderFacts = {
  total: cents(1_999),
  token: null,
  userApiKey: null,
  newCard: null,
  newAddress: null,
}
const cardOrder: SendOrderFacts = { ...cashOrder, token: 'tok_1' }
const address = {
  apiKey: 'a1',
  streetAddress: '316 W Washington Ave',
  aptNumber: null,
  city: 'Madison',
  state: 'WI',
  zip: '53703',
  latitude: null,
  longitude: null,
}

const done: Outcome = { kind: 'done' }
const refused = (code: Refusal['code']): Outcome => ({
  kind: 'refused',
  refusal: { code, detail: 'because' },
})

/** Plays the saga against scripted answers (`done` where nothing is scripted): what was said, what changed, how it ended. */
function play(facts: SendOrderFacts, answers: Record<string, Outcome> = {}) {
  const said: string[] = []
  const changes: Change[] = []
  let state: State = fresh
  for (;;) {
    const coming = next(sendOrderSaga, facts, state)
    if (!('say' in coming)) return { said, changes: Object.assign({}, ...changes) as Change, end: coming }
    said.push(coming.say.command.name)
    const { name } = coming.step
    const result = heard(sendOrderSaga, facts, state, {
      step: name,
      undo: coming.kind === 'undo',
      outcome: answers[coming.say.command.name] ?? done,
    })
    if (!result) throw new Error(`the saga did not take the answer to ${name}`)
    state = result.state
    changes.push(result.change)
  }
}

describe('send-order', () => {
  test('a cash order is transmitted and that is all', () => {
    const { said, changes, end } = play(cashOrder)
    expect(said).toEqual(['restaurants.transmit'])
    expect(changes).toEqual({ status: 'AWAITING_PREPARATION' })
    expect(end).toEqual({ kind: 'completed' })
  })

  test('a card order is authorized before it is transmitted, and captured after', () => {
    const { said, changes } = play(cardOrder)
    expect(said).toEqual(['payments.authorize', 'restaurants.transmit', 'payments.capture'])
    expect(changes).toEqual({ status: 'AWAITING_PREPARATION', paymentState: 'CHARGED' })
  })

  test('a new address of a user is saved at the end; a guest has nowhere to save it', () => {
    expect(play({ ...cashOrder, userApiKey: 'u1', newAddress: address }).said).toEqual([
      'restaurants.transmit',
      'accounts.save',
    ])
    expect(play({ ...cashOrder, newAddress: address }).said).toEqual(['restaurants.transmit'])
  })

  test('402 card-declined: nothing was held, so nothing is released, and the restaurant never hears of it', () => {
    const { said, changes, end } = play(cardOrder, { 'payments.authorize': refused('card-declined') })
    expect(said).toEqual(['payments.authorize'])
    expect(changes).toEqual({})
    expect(end).toEqual({ kind: 'failed', refusal: { code: 'card-declined', detail: 'because' } })
  })

  test('422 order-refused: the authorization is released', () => {
    const { said, changes, end } = play(cardOrder, { 'restaurants.transmit': refused('order-refused') })
    expect(said).toEqual(['payments.authorize', 'restaurants.transmit', 'payments.release'])
    expect(changes).toEqual({ paymentState: 'VOIDED' })
    expect(end.kind).toBe('failed')
  })

  test('an authorization of which nobody knows is released when time is up', () => {
    const state = givenUp(sendOrderSaga, cardOrder, fresh, {
      code: 'payment-unavailable',
      detail: 'too late',
    })
    expect(state && next(sendOrderSaga, cardOrder, state)).toMatchObject({
      kind: 'undo',
      step: { name: 'authorize' },
    })
  })

  test('there is no giving up from the transmission on', () => {
    for (const finished of [['authorize'], ['authorize', 'transmit']]) {
      const state = { ...fresh, done: finished }
      expect(
        givenUp(sendOrderSaga, cardOrder, state, { code: 'payment-unavailable', detail: 'too late' }),
      ).toBeNull()
    }
  })

  test('a refused capture or release changes nothing: it is said again', () => {
    const transmitted = { ...fresh, done: ['authorize', 'transmit'] }
    expect(
      heard(sendOrderSaga, cardOrder, transmitted, {
        step: 'capture',
        undo: false,
        outcome: refused('card-declined'),
      }),
    ).toBeNull()
    const goingBack = {
      ...fresh,
      done: ['authorize'],
      refusal: { code: 'order-refused' as const, detail: 'because' },
    }
    expect(
      heard(sendOrderSaga, cardOrder, goingBack, {
        step: 'authorize',
        undo: true,
        outcome: refused('card-declined'),
      }),
    ).toBeNull()
  })

  test('a cancellation after the capture gives the money back, and payments say where it stands', () => {
    const cancelled: State = {
      done: ['authorize', 'transmit', 'capture'],
      undone: [],
      refusal: { code: 'order-refused', detail: 'because' },
    }
    expect(next(sendOrderSaga, cardOrder, cancelled)).toMatchObject({
      kind: 'undo',
      step: { name: 'authorize' },
    })
    const released = heard(sendOrderSaga, cardOrder, cancelled, {
      step: 'authorize',
      undo: true,
      outcome: { kind: 'done', paymentState: 'REFUNDED' },
    })
    expect(released?.change).toEqual({ paymentState: 'REFUNDED' })
    expect(released && next(sendOrderSaga, cardOrder, released.state).kind).toBe('failed')
  })

  const anyAnswer = fc.record({
    step: fc.constantFrom('authorize', 'transmit', 'capture', 'save', 'nothing'),
    undo: fc.boolean(),
    outcome: fc.constantFrom(done, refused('card-declined')),
  })

  test('whatever is answered, only the answer to what was said last is taken', () => {
    const wronglyTaken = fc.property(
      fc.array(anyAnswer, { maxLength: 30 }),
      fc.boolean(),
      (answers, card) => {
        const facts = card ? cardOrder : cashOrder
        let state: State = fresh
        return answers.every((answer) => {
          const awaited = next(sendOrderSaga, facts, state)
          const result = heard(sendOrderSaga, facts, state, answer)
          state = result?.state ?? state
          return (
            !result ||
            ('step' in awaited &&
              awaited.step.name === answer.step &&
              (awaited.kind === 'undo') === answer.undo)
          )
        })
      },
    )
    expect(fc.check(wronglyTaken).failed).toBe(false)
  })

  test('whatever is answered, money is taken only for what the restaurant has, and given back only for what it has not', () => {
    const invariant = fc.property(fc.array(anyAnswer, { maxLength: 30 }), (answers) => {
      const { done: finished, undone } = answers.reduce<State>(
        (state, answer) => heard(sendOrderSaga, cardOrder, state, answer)?.state ?? state,
        fresh,
      )
      const has = finished.includes('transmit')
      return (has || !finished.includes('capture')) && (!has || undone.length === 0)
    })
    expect(fc.check(invariant).failed).toBe(false)
  })
})
