import { expect, test } from 'vitest'
import { anOrder, card, seedRestaurants, home, maria, post, register } from './client.ts'
import type { CreditCard, Order, User } from './client.ts'

/* Requests of clients that were written for the original interface. All spellings: packages/kit/src/http/normalize.unit.test.ts. */

const validate = (body: unknown) => post<Order>('validate-order', body)

test('a number is accepted for a text of digits, and a text of digits for a number', async () => {
  const recipient = { ...maria, phone: 6085550142 }
  const address = { ...home, zip: 53703, aptNumber: 4 }
  const delivery = { method: 'delivery', address, recipient, tip: '3.00' }
  const { status, body } = await validate(await anOrder(seedRestaurants.aurora, delivery))
  expect(status).toBe(200)
  expect(body).toMatchObject({
    recipient: { phone: '6085550142' },
    address: { zip: '53703', aptNumber: '4' },
    tip: 3,
  })
})

test('a bare string for recipient, card or address is accepted as its apiKey', async () => {
  const user = await register()
  const saved = (await post<CreditCard>(`user/${user.apiKey}/add-card`, card())).body.apiKey
  const place = (await post<{ apiKey: string }>(`user/${user.apiKey}/add-address`, home)).body.apiKey
  const { status, body } = await validate(
    await anOrder(seedRestaurants.aurora, {
      method: 'delivery',
      payment: 'card',
      recipient: user.apiKey,
      card: saved,
      address: place,
    }),
  )
  expect(status).toBe(200)
  expect(body).toMatchObject({
    recipientApiKey: user.apiKey,
    card: { apiKey: saved },
    address: { apiKey: place },
  })
})

test('member names are accepted in any case, and are not listed in X-Ignored-Fields', async () => {
  const { restaurantApiKey, items, recipient, ...others } = await anOrder(seedRestaurants.aurora)
  const [{ apiKey }] = items as [{ apiKey: string }]
  const body = {
    ...others,
    restaurantAPIKey: restaurantApiKey,
    Items: [{ APIKey: apiKey, Comments: 'crisp' }],
    Recipient: { FirstName: 'Maria', LASTNAME: 'Lindqvist', phone: (recipient as typeof maria).phone },
  }
  const validated = await validate(body)
  expect(validated.status).toBe(200)
  expect(validated.body).toMatchObject({ items: [{ apiKey, comments: 'crisp' }], recipient: maria })
  expect(validated.headers.get('x-ignored-fields')).toBeNull()
  const user = await post<User>('register-user', {
    Email: `${crypto.randomUUID()}@example.org`,
    Password: 'a long enough password',
    ...maria,
  })
  expect(user.status).toBe(200)
})
