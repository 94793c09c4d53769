import { PutRestaurantLink } from '@platter/contracts'
import { expect, test } from 'vitest'
import { simulatorLink } from '../../dev/simulators/src/link.ts'
import { pickup } from '../support/fixtures.ts'
import { call, delivered, maria, operator, sendOrder, expectConforms } from './client.ts'
import { ownStack } from './stack.ts'
import { aKitchen, aRestaurant, menuItem, salina } from './own-restaurant.ts'

const link = <T = { kind: string; reports: string }>(apiKey: string, body: unknown) =>
  operator<T>('PUT', `restaurants/${apiKey}/link`, body)

const secret = `whsec_${'A'.repeat(43)}=`

test.each([
  ['the console', { kind: 'console', reports: 'coarse' }, { kind: 'console', reports: 'coarse' }],
  [
    'a webhook',
    { kind: 'webhook', url: 'https://example.org/orders', secret },
    { kind: 'webhook', reports: 'detailed' },
  ],
])('200: %s; the response never has the secret', async (_, body, expected) => {
  const put = await link(await aRestaurant(), body)
  expect(put.status).toBe(200)
  expectConforms(PutRestaurantLink, put.body)
  expect(put.body).toEqual(expected)
})

test('200: with validate-only the link stays', async () => {
  const item = menuItem(8)
  const apiKey = await aRestaurant({}, [item])
  await link(apiKey, simulatorLink(ownStack().urls.simulators, 'accepts'))
  const put = await operator('PUT', `restaurants/${apiKey}/link?validate-only=true`, { kind: 'console' })
  expect(put).toMatchObject({ status: 200, body: { kind: 'console', reports: 'detailed' } })
  const sent = await sendOrder(pickup(apiKey, item.apiKey))
  expect(await delivered(sent.body.apiKey)).toContain('READY_FOR_PICKUP')
})

test('200: orders use the latest link of the restaurant and its kind of reports', async () => {
  const item = menuItem(8)
  const apiKey = await aRestaurant({}, [item])
  const order = pickup(apiKey, item.apiKey)
  const { simulators } = ownStack().urls
  await link(apiKey, simulatorLink(simulators, 'refuses'))
  expect(await sendOrder(order)).toMatchObject({ status: 422, body: { code: 'order-refused' } })
  await link(apiKey, simulatorLink(simulators, 'accepts'))
  const { status, body } = await sendOrder(order)
  expect(status).toBe(200)
  expect(await delivered(body.apiKey)).toContain('READY_FOR_PICKUP')
})

test('200: an open order keeps its kind of reports after a change of the link', async () => {
  const item = menuItem(8)
  const { apiKey, key } = await aKitchen({}, [item])
  await link(apiKey, { kind: 'console', reports: 'coarse' })
  const sent = await sendOrder({
    restaurantApiKey: apiKey,
    items: [{ apiKey: item.apiKey }],
    method: 'delivery',
    payment: 'cash',
    recipient: maria,
    address: salina,
  })
  expect(sent.status).toBe(200)
  await link(apiKey, { kind: 'console', reports: 'detailed' })
  const status = `/restaurantapi/v1/order/${sent.body.apiKey}/status`
  for (const next of ['PREPARING_AND_DELIVERING', 'DELIVERED'])
    expect(await call(status, { key, body: { status: next } })).toMatchObject({
      status: 200,
      body: { status: next },
    })
})

test.each([
  ['no kind', {}, '/kind'],
  ['an unknown kind', { kind: 'fax' }, '/kind'],
  ['the kind simulator', { kind: 'simulator', behaviour: 'accepts' }, '/kind'],
  ['an unknown kind of reports', { kind: 'console', reports: 'hourly' }, '/reports'],
  ['an invalid URL', { kind: 'webhook', url: 'orders', secret }, '/url'],
  ['a file URL', { kind: 'webhook', url: 'file:///etc/passwd', secret }, '/url'],
  // The stack of the test allows loopback, like `npm start`.
  ['a URL with a private address', { kind: 'webhook', url: 'https://10.0.0.1/', secret }, '/url'],
  ['a private address in hexadecimal', { kind: 'webhook', url: 'https://0x0a.1/', secret }, '/url'],
  ['a private address in IPv6', { kind: 'webhook', url: 'https://[::ffff:10.0.0.1]/', secret }, '/url'],
  ['the metadata service of a cloud', { kind: 'webhook', url: 'https://169.254.169.254/', secret }, '/url'],
  ['http to a public address', { kind: 'webhook', url: 'http://93.184.216.34/', secret }, '/url'],
  ['a URL with a password', { kind: 'webhook', url: 'https://a:b@93.184.216.34/', secret }, '/url'],
  [
    'a secret that is too short',
    { kind: 'webhook', url: 'https://example.org', secret: 'whsec_AA' },
    '/secret',
  ],
])('400: %s', async (_, body, pointer) => {
  expect(await link(await aRestaurant(), body)).toMatchObject({
    status: 400,
    body: { errors: [{ pointer }] },
  })
})

test('400: the response does not repeat an invalid secret', async () => {
  const { status, body } = await link<unknown>(await aRestaurant(), {
    kind: 'webhook',
    url: 'https://example.org',
    secret: 'whsec_hunter2',
  })
  expect(status).toBe(400)
  expect(JSON.stringify(body)).not.toContain('hunter2')
})
