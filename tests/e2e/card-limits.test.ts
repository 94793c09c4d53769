import { expect, test } from 'vitest'
import {
  anOrder,
  card,
  seedRestaurants,
  post,
  register,
  sendOrder,
  type CreditCard,
  type ProblemBody,
} from './client.ts'
import { ownStack } from './stack.ts'

/** The stack of the test accepts 25 new cards of a user in an hour. An installation accepts 5 (docs/configuration.md). */
const PER_USER = 25

/** Returns the n-th of many card numbers, with its Luhn digit. */
function cardNumberOf(n: number): string {
  const digits = `400000${String(n).padStart(9, '0')}`
  const sum = Array.from(digits, Number).reduce((total, digit, at) => {
    const counted = at % 2 === 0 ? digit * 2 : digit
    return total + (counted > 9 ? counted - 9 : counted)
  }, 0)
  return `${digits}${(10 - (sum % 10)) % 10}`
}

test('429 rate-limited for the 26th new card by add-card or send-order; a repeated card is 200', async () => {
  ownStack()
  const { apiKey } = await register()
  const add = (n: number) => post<CreditCard & ProblemBody>(`user/${apiKey}/add-card`, card(cardNumberOf(n)))
  for (let n = 0; n < PER_USER; n++) {
    const { status, body } = await add(n)
    expect(status).toBe(200)
    await post(`user/${apiKey}/remove-card/${body.apiKey}`, undefined, { method: 'POST' })
  }
  const refused = await add(PER_USER)
  expect(refused).toMatchObject({ status: 429, body: { code: 'rate-limited', retryable: true } })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_000)
  expect(JSON.stringify(refused.body)).not.toContain(cardNumberOf(PER_USER).slice(-4))

  const order = {
    ...(await anOrder(seedRestaurants.aurora)),
    payment: 'card',
    recipient: { apiKey },
  }
  const orderWithNewCard = (n: number) => sendOrder({ ...order, card: card(cardNumberOf(n)) })
  expect(await orderWithNewCard(PER_USER)).toMatchObject({ status: 429, body: { code: 'rate-limited' } })
  expect((await orderWithNewCard(3)).status).toBe(200)
  // Another user is not affected.
  const { apiKey: other } = await register()
  expect((await post(`user/${other}/add-card`, card(cardNumberOf(PER_USER)))).status).toBe(200)
})
