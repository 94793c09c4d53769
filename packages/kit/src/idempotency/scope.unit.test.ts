import { NewCard, secret, type Principal } from '@platter/contracts'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { makeAccessKey } from '#/security/access-key.ts'
import { idempotencyScope, isSameRequest, parseIdempotencyKey } from '#/idempotency/scope.ts'

const SECRET = 'a secret that is long enough for us'
const principal = { kind: 'application', accessKeyId: 'k1', applicationId: 'a1' } as Principal
const fingerprint = (body: unknown) =>
  idempotencyScope('k', { principal, path: '/p', body, secrets: [SECRET] })?.fingerprint

const card = (changes: object) =>
  NewCard.parse({
    cardholderName: 'Maria Lindqvist',
    cardholderStreetAddress: '316 W Washington Ave',
    cardholderZip: '53703',
    cvv: '314',
    cardNumber: '4242424242424242',
    expirationMonth: '09',
    expirationYear: '31',
    ...changes,
  })

test('a fingerprint depends on the last four digits of a card number only, and not on the cvv', () => {
  const whole = fingerprint(card({}))
  expect(fingerprint(card({ cvv: '2718' }))).toBe(whole)
  expect(fingerprint(card({ cardNumber: '4000056655694242' }))).toBe(whole)
  expect(fingerprint(card({ cardNumber: '5555555555554444' }))).not.toBe(whole)
  expect(fingerprint(card({ expirationYear: '32' }))).not.toBe(whole)
})

test('the scope is the access key, the path and the key of a request; a request from a service has none', () => {
  const request = { principal, path: '/publicapi/v1/send-order', body: {}, secrets: [SECRET] as const }
  expect(idempotencyScope(' cart-7 ', request)).toMatchObject({
    accessKeyId: 'k1',
    path: '/publicapi/v1/send-order',
    key: 'cart-7',
  })
  expect(idempotencyScope('cart-7', { ...request, principal: { kind: 'service' } as Principal })).toBeNull()
})

test.each(['', '""', 'a b', '"é"', 'x'.repeat(256), ['a', 'b']])(
  'refuses the idempotency key %j (400)',
  (header) => {
    expect(() => parseIdempotencyKey(header, [SECRET])).toThrow('not 1 to 255 visible ASCII characters')
  },
)

test('the fingerprint of a request with a password depends on the internal secret', () => {
  const body = z.object({ password: secret(z.string(), (all) => all) }).parse({ password: 'a long password' })
  const elsewhere = { principal, path: '/p', body, secrets: ['another secret, as long as ours is'] as const }
  expect(fingerprint(body)).not.toBe(idempotencyScope('k', elsewhere)?.fingerprint)
})

test('during a rotation of the internal secret, a request with either secret is the same request', () => {
  const other = 'another secret, as long as ours is'
  const stored = idempotencyScope('k', { principal, path: '/p', body: { a: 1 }, secrets: [other] })
  for (const [a, secrets, isSame] of [
    [1, [SECRET, other], true],
    [2, [SECRET, other], false],
    [1, [SECRET], false],
  ] as const) {
    const repeated = idempotencyScope('k', { principal, path: '/p', body: { a }, secrets })
    expect(isSameRequest(stored!.fingerprint, repeated!)).toBe(isSame)
  }
})

test.each([
  ['a card number', '4242424242424242'],
  ['a card number with dashes', '"4242-4242-4242-4242"'],
  ['an access key', `order-${makeAccessKey('live')}`],
])('stores a keyed hash of an idempotency key that is %s, the same each time', (_, key) => {
  const kept = parseIdempotencyKey(key, [SECRET])
  expect(kept).toMatch(/^[0-9a-f]{64}$/)
  expect(parseIdempotencyKey(key, [SECRET])).toBe(kept)
  expect(parseIdempotencyKey(key, ['another secret, as long as ours is'])).not.toBe(kept)
})

test('stores any other idempotency key unchanged, without its quotes', () => {
  const uuid = crypto.randomUUID()
  expect(parseIdempotencyKey(uuid, [SECRET])).toBe(uuid)
  expect(parseIdempotencyKey(String.raw`"a-\"key\""`, [SECRET])).toBe('a-"key"')
})
