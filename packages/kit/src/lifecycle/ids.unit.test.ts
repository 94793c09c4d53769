import fc from 'fast-check'
import { expect, test } from 'vitest'
import { requestIdOf } from '#/lifecycle/ids.ts'
import { scrub } from '#/telemetry/scrub.ts'

const separator = fc.constantFrom('-', '.', '_', '~', '--', '-._')
/** Card numbers, whole or in groups of 1, 4 or 6 digits. */
const card = fc
  .tuple(
    fc.constantFrom('4242424242424242', '378282246310005', '6011111111111117', '501800000009'),
    separator,
    fc.constantFrom(1, 4, 6, 16),
  )
  .map(([digits, between, size]) => (digits.match(new RegExp(`.{1,${size}}`, 'g')) ?? []).join(between))
const piece = fc.oneof(
  card,
  separator,
  fc.stringMatching(/^[0-9]{1,8}$/),
  fc.stringMatching(/^[A-Za-z]{1,6}$/),
  fc.constantFrom('whsec_', 'platter_live_', 'platter_test_', 'sk_live_', 'rk_test_', 'abcdef'),
  fc.uuid(),
)
const id = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join('').slice(0, 100))

test('a request id is replaced exactly when it contains a card number or a key', () => {
  fc.assert(
    fc.property(id, (given) => {
      const isKept = requestIdOf({ headers: { 'x-request-id': given } }) === given
      expect(isKept).toBe(scrub(given) === given)
    }),
    { numRuns: 2_000 },
  )
})
