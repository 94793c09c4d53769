import { expect, test } from 'vitest'
import { transition } from '#/saga/domain/transition.ts'
import { authorizationOf, challengeTimes } from '#/saga/domain/challenging.ts'
import {
  placed,
  apply,
  at,
  cancelled,
  card,
  declined,
  done,
  refusal,
  reply,
  states,
} from '#/testing/sagas.ts'

const action = { type: 'redirect', url: 'https://bank.example/1', expires: at + 600 } as const
const authenticate = { kind: 'authenticate', action } as const
const authorize = placed(card)
const open = apply(authorize, reply(authorize, authenticate))

test('the authorization names the restaurant, and whether the card is saved to an account', () => {
  const named = { ...card, restaurantName: 'Aurora Slice House' }
  const terms = { amount: card.total, token: 'tok_1' }
  expect(authorizationOf(named)).toEqual({ ...terms, restaurantName: 'Aurora Slice House', savesCard: true })
  expect(authorizationOf({ ...card, newCard: null })).toEqual({ ...terms, savesCard: false })
  expect(authorizationOf({ ...card, userApiKey: null }), 'a guest').toEqual({ ...terms, savesCard: false })
})

test('a challenge sets paymentAction, publishes no command, and has its own poll and deadline', () => {
  expect(open).toMatchObject({
    order: { outcome: 'pending', paymentState: 'PENDING', paymentAction: action },
    saga: { version: 1, isFinished: false },
    command: null,
    delivery: null,
  })
  expect(challengeTimes(open.order)).toEqual({ retryInMs: 10_000, deadlineInMs: 600_000 })
  expect(challengeTimes(authorize.order)).toBeNull()
})

test('a poll republishes the authorize command, and another challenge reply is stale', () => {
  const poll = apply(open, { kind: 'retried', at })
  expect(poll.saga).toBe(open.saga)
  expect(poll.command).toMatchObject({
    command: { name: 'payments.authorize' },
    data: { version: 1, isAuthenticating: true },
  })
  expect(authorize.command?.data).not.toHaveProperty('isAuthenticating')
  expect(transition(open.order, open.saga, reply(open, authenticate))).toBe('stale')
})

test('an approved challenge opens the delivery and clears paymentAction', () => {
  expect(apply(open, reply(open, done))).toMatchObject({
    order: { paymentState: 'AUTHORIZED', paymentAction: null },
    delivery: { outcome: null },
  })
})

test('an approved challenge whose recheck fails is compensated, with the reason of the recheck', () => {
  const closed = apply(open, {
    ...reply(open, done),
    challenge: { recheck: refusal('restaurant-closed') },
  } as never)
  expect(closed).toMatchObject({
    order: { outcome: 'pending', paymentAction: null },
    delivery: null,
    command: { command: { name: 'payments.release' }, data: { undo: true } },
  })
  expect(apply(closed, reply(closed, done)).order).toMatchObject({
    outcome: 'failed',
    paymentState: 'VOIDED',
    cancellation: { reason: 'restaurant-closed' },
  })
})

test('a declined challenge fails the order and publishes no command', () => {
  expect(apply(open, reply(open, declined))).toMatchObject({
    order: { outcome: 'failed', paymentState: 'VOIDED', paymentAction: null },
    saga: { isFinished: true },
    command: null,
  })
})

test('an expired challenge is compensated; its cancellation names the missing confirmation', () => {
  const expired = apply(open, { kind: 'expired', at })
  expect(expired).toMatchObject({ order: { paymentAction: null }, command: { data: { undo: true } } })
  expect(apply(expired, reply(expired, done)).order.cancellation?.message).toContain('not confirmed')
})

test('a cancellation by a customer or an operator during a challenge releases the authorization', () => {
  for (const by of ['customer', 'operator'] as const) {
    const cancelling = apply(open, cancelled({ by }))
    expect(cancelling).toMatchObject({
      order: { paymentAction: null, cancellation: { cancelledBy: by } },
      command: { command: { name: 'payments.release' } },
    })
    expect(transition(cancelling.order, cancelling.saga, reply(open, done)), 'a late approval').toBe('stale')
  }
})

test('only the reply to an authorization begins a challenge', () => {
  const { capture, transmit, 'compensate, refused': voiding } = states()
  for (const now of [capture!, voiding!])
    expect(transition(now.order, now.saga, reply(now, authenticate))).toBe('stale')
  expect(transition(transmit!.order, transmit!.saga, { ...reply(authorize, authenticate) })).toBe('stale')
})
