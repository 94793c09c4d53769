import { beforeEach, expect, test } from 'vitest'
import { Book } from './book.ts'
import { tokenize } from './cards.ts'
import type { Entry } from './ledger.ts'

const NOW = new Date('2026-11-23T12:00:00Z')
const always = tokenize('4000002760003184')!.token
const first = tokenize('4000002500003155')!.token
let book: Book
let lines: Entry[]
beforeEach(() => {
  book = new Book([])
  lines = []
})

type Request = Parameters<Book['decide']>[0]
function send(request: Omit<Request, 'fingerprint'> & Record<string, unknown>, now = NOW) {
  const decision = book.decide({ ...request, fingerprint: JSON.stringify(request) } as Request, now)
  if (decision.kind === 'response') return decision.response.body
  lines.push(decision.entry, ...(decision.also ? [decision.also] : []))
  return decision.entry
}
const authorize = (token: string, key: string, authentication: object | null = { returnUrl: null }) =>
  send({
    kind: 'authorize',
    idempotencyKey: key,
    token,
    amount: 1075,
    reference: 'o1',
    ...(authentication && { authentication }),
  } as never) as Entry
const answer = (id: string, outcome: 'yes' | 'no', now = NOW) =>
  send({ kind: 'authenticate', idempotencyKey: `bank:${lines.length}`, id, outcome } as never, now)
const kinds = () => lines.map(({ kind, outcome }) => `${kind} ${outcome}`)

test('an open challenge authorizes no amount, and its approval authorizes the amount once', () => {
  const { id } = authorize(always, 'a')
  expect(book.find('o1')).toEqual([])
  authorize(always, 'a')
  answer(id, 'yes')
  expect(book.find('o1')).toMatchObject([{ id, amount: 1075, status: 'authorized' }])
  expect(answer(id, 'no')).toEqual({ code: 'already_answered' })
  expect(kinds()).toEqual(['authenticate open', 'authenticate approved', 'authorize approved'])
})

test('a declined, a voided and an expired challenge leave no authorization', () => {
  const refused = authorize(always, 'a')
  answer(refused.id, 'no')
  const voided = authorize(always, 'b')
  send({ kind: 'void', idempotencyKey: 'v', id: voided.id } as never)
  const late = authorize(always, 'c')
  expect(answer(late.id, 'yes', new Date(NOW.getTime() + 600_001))).toEqual({ code: 'already_answered' })
  for (const { id } of [refused, voided]) expect(book.challenge(id, NOW)?.state).toMatch(/^declined:/)
  expect(book.find('o1')).toEqual([])
})

test('one card is challenged each time, another once; without authentication it is declined', () => {
  expect(authorize(first, 'a', null).outcome).toBe('declined:authentication_required')
  answer(authorize(first, 'b').id, 'yes')
  expect(authorize(first, 'c').outcome).toBe('approved')
  expect(authorize(first, 'd', null).outcome).toBe('approved')
  answer(authorize(always, 'e').id, 'yes')
  expect(authorize(always, 'f').outcome).toBe('open')
})

test('open challenges and authenticated cards survive a restart', () => {
  const open = authorize(always, 'a')
  const confirmed = authorize(first, 'b')
  answer(confirmed.id, 'yes')
  book = new Book(lines)
  expect(book.challenge(open.id, NOW)?.state).toBe('open')
  expect(book.details(confirmed.id)?.status).toBe('authorized')
  expect(authorize(first, 'c').outcome).toBe('approved')
})
