import { expect, test } from 'vitest'
import {
  anOrder,
  call,
  card,
  cast,
  get,
  home,
  maria,
  operator,
  post,
  register,
  sendOrder,
  type CreditCard,
  type Order,
  type User,
  stack,
} from './client.ts'

test('register-user: the user, never the password; the e-mail address is taken then, however it is written', async () => {
  const email = `Maria.${crypto.randomUUID()}@Example.org`
  const { status, body } = await post<User>('register-user', {
    ...maria,
    email,
    password: 'correct horse battery',
  })
  expect(status).toBe(200)
  expect(body).toMatchObject({ ...maria, email, savedAddresses: [], creditCards: [] })
  expect(JSON.stringify(body)).not.toContain('correct horse')
  const again = await post('register-user', {
    ...maria,
    email: email.toLowerCase(),
    password: 'correct horse battery',
  })
  expect(again).toMatchObject({ status: 409, body: { code: 'email-taken' } })
})

test('register-user: ten registrations of one e-mail address at once make one user', async () => {
  const email = `twins.${crypto.randomUUID()}@example.org`
  const answers = await Promise.all(
    Array.from({ length: 10 }, () =>
      post('register-user', { ...maria, email, password: 'a long enough password' }),
    ),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(9)
})

test('user/{apiKey}: saved cards and addresses are in it, card numbers are not', async () => {
  const user = await register()
  const { body: saved } = await post<CreditCard>(`user/${user.apiKey}/add-card`, card())
  expect(saved).toMatchObject({
    lastFour: '4242',
    brand: 'visa',
    expirationMonth: '09',
    expirationYear: '31',
  })
  const { body: address } = await post(`user/${user.apiKey}/add-address`, home)
  const { body } = await get<User>(`user/${user.apiKey}`)
  expect(body).toMatchObject({ creditCards: [saved], savedAddresses: [address] })
  expect(JSON.stringify(body)).not.toContain('4242424242424242')
})

test('add-card: 402 card-expired and 400 name the field', async () => {
  const user = await register()
  expect(await post(`user/${user.apiKey}/add-card`, { ...card(), expirationYear: '20' })).toMatchObject({
    status: 402,
    body: { code: 'card-expired' },
  })
  expect(await post(`user/${user.apiKey}/add-card`, { ...card(), cvv: undefined })).toMatchObject({
    status: 400,
    body: { code: 'missing-field', errors: [{ pointer: '/cvv' }] },
  })
})

test("404: another application's user and order are not there, in the same words as if they did not exist", async () => {
  const user = await register()
  const { body: order } = await sendOrder({
    ...(await anOrder(cast.aurora)),
    recipient: { apiKey: user.apiKey },
  })
  const key = stack().otherAccessKey
  for (const path of [
    `user/${user.apiKey}`,
    `user/${user.apiKey}/orders`,
    `order/${order.apiKey}`,
    `order/${order.apiKey}/statuses`,
  ]) {
    const foreign = await get<Record<string, unknown>>(path, { key })
    const absent = await get<Record<string, unknown>>(path.replace(/[0-9a-f]{48}/, '0'.repeat(48)), { key })
    expect(foreign.status).toBe(404)
    const { requestId: _, instance: __, ...words } = foreign.body
    expect(absent.body).toMatchObject(words)
  }
})

test('user/{apiKey}/orders: newest first, page by page', async () => {
  const user = await register()
  const request = { ...(await anOrder(cast.aurora)), recipient: { apiKey: user.apiKey } }
  const placed: string[] = []
  for (let count = 0; count < 3; count++) placed.unshift((await sendOrder(request)).body.apiKey)
  const first = await get<Order[]>(`user/${user.apiKey}/orders?limit=2`)
  const next = /^<(.+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1]
  const second = await call<Order[]>(next!)
  expect([...first.body, ...second.body].map(({ apiKey }) => apiKey)).toEqual(placed)
  expect(second.headers.get('link')).toBeNull()
})

test('operator: an access key of a new application works at once', async () => {
  const { body: application } = await operator<{ id: string }>('POST', 'applications', { name: 'an app' })
  const { body: issued } = await operator<{ accessKey: string }>(
    'POST',
    `applications/${application.id}/access-keys`,
    { mode: 'test' },
  )
  expect(issued.accessKey).toMatch(/^platter_test_/)
  expect((await get('restaurant/search?limit=1', { key: issued.accessKey })).status).toBe(200)
})
