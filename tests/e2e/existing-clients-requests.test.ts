import { describe, expect, test } from 'vitest'
import { anOrder, card, cast, get, home, maria, post, register } from './client.ts'
import type { CreditCard, MenuCategory, Order, ProblemBody, User } from './client.ts'

/* Requests of clients that were written for the original interface. */

const validate = <T = Order>(body: unknown) => post<T>('validate-order', body)

describe('Scalars', () => {
  test.each(['True', 'TRUE', '1', 1, 'yes'])('%j is accepted as true in a body', async (yes) => {
    const { status, body } = await validate(await anOrder(cast.test, { test: yes }))
    expect([status, body.test]).toEqual([200, true])
  })

  test.each(['True', 'TRUE', '1', 'yes'])('%s is accepted as true in a query', async (yes) => {
    const path = `restaurant/${cast.aurora}/menu?includeCustomizations=${yes}`
    const { body } = await get<MenuCategory[]>(path)
    expect(body[0]?.items[0]).toHaveProperty('customizationGroups')
  })

  test('enum values are accepted in any case, in bodies and queries', async () => {
    const order = await anOrder(cast.aurora, { method: 'PICKUP', payment: 'Cash' })
    expect((await validate(order)).body).toMatchObject({ method: 'pickup', payment: 'cash' })
    expect((await get('restaurant/search?method=Delivery&street-address=53703')).status).toBe(200)
  })

  test('a number is accepted for a text of digits, and a text of digits for a number', async () => {
    const recipient = { ...maria, phone: 6085550142 }
    const address = { ...home, zip: 53703, aptNumber: 4 }
    const delivery = { method: 'delivery', address, recipient, tip: '3.00' }
    const { status, body } = await validate(await anOrder(cast.aurora, delivery))
    expect(status).toBe(200)
    expect(body).toMatchObject({
      recipient: { phone: '6085550142' },
      address: { zip: '53703', aptNumber: '4' },
      tip: 3,
    })
  })

  test('null and the empty string count as absent in bodies and queries', async () => {
    const absent = { comments: '', tip: null, test: null, card: null, address: '' }
    expect((await validate(await anOrder(cast.aurora, absent))).body).toMatchObject({
      comments: null,
      tip: 0,
      test: false,
      address: null,
    })
    const query = 'street-address=null&latitude=null&longitude=&method=null&search=null&cursor='
    expect((await get(`restaurant/search?${query}`)).status).toBe(200)
  })

  test.each([
    ['9', '33'],
    [9, 33],
    ['09', '2033'],
    [9, 2033],
  ])('expiration month %j and year %j become 09 and 33', async (expirationMonth, expirationYear) => {
    const user = await register()
    const spelled = { ...card('4242 4242-4242 4242'), expirationMonth, expirationYear, cvv: 314 }
    const { status, body } = await post<CreditCard>(`user/${user.apiKey}/add-card`, spelled)
    expect(status).toBe(200)
    expect(body).toMatchObject({ lastFour: '4242', expirationMonth: '09', expirationYear: '33' })
  })
})

describe('Nested objects', () => {
  test('a bare string for recipient, card or address is accepted as its apiKey', async () => {
    const user = await register()
    const saved = (await post<CreditCard>(`user/${user.apiKey}/add-card`, card())).body.apiKey
    const place = (await post<{ apiKey: string }>(`user/${user.apiKey}/add-address`, home)).body.apiKey
    const { status, body } = await validate(
      await anOrder(cast.aurora, {
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

  test('404 card-not-found for a bare string that is no apiKey of a card', async () => {
    const user = await register()
    const order = await anOrder(cast.aurora, { payment: 'card', recipient: user.apiKey, card: 'none' })
    expect(await validate<ProblemBody>(order)).toMatchObject({
      status: 404,
      body: { code: 'card-not-found' },
    })
  })
})

describe('Names', () => {
  test('member names are accepted in any case, and are not listed in X-Ignored-Fields', async () => {
    const { restaurantApiKey, items, recipient, ...others } = await anOrder(cast.aurora)
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

  test('a name in another case is a missing-field when the body has another fault', async () => {
    const { restaurantApiKey, ...others } = await anOrder(cast.aurora)
    const { status, body } = await validate<ProblemBody>({
      ...others,
      RestaurantApiKey: restaurantApiKey,
      payment: 'gold',
    })
    expect(status).toBe(400)
    expect(body.errors.map(({ pointer, code }) => [pointer, code])).toEqual([
      ['/restaurantApiKey', 'missing-field'],
      ['/payment', 'invalid-field'],
    ])
  })
})

test('Unchanged: a password needs 8 characters, and a new card a cvv (400)', async () => {
  const account = { ...maria, email: `${crypto.randomUUID()}@example.org` }
  expect(await post<ProblemBody>('register-user', { ...account, password: 'seven 7' })).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/password', code: 'invalid-field' }] },
  })
  expect((await post('register-user', { ...account, password: 'eight 8!' })).status).toBe(200)
  const { cvv: _cvv, ...without } = card()
  const { apiKey } = await register()
  expect(await post<ProblemBody>(`user/${apiKey}/add-card`, without)).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/cvv', code: 'missing-field' }] },
  })
})
