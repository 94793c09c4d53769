import { expect, test } from 'vitest'
import { nearestOperation, noSuchEndpoint } from '#/http/no-such-endpoint.ts'

test.each([
  ['POST', '/publicapi/v1/send-ordr', 'send-order'],
  ['POST', '/publicapi/v1/sendOrder', 'send-order'],
  ['POST', '/publicapi/v2/send-order', 'send-order'],
  ['POST', '/public-api/v1/send_order', 'send-order'],
  ['POST', '/send-order', 'send-order'],
  ['POST', '/v1/send-order/', 'send-order'],
  ['GET', '/publicapi/v1/restaurants/search', 'restaurant-search'],
  ['GET', '/publicapi/v1/orders/abc', 'order'],
  ['GET', '/publicapi/v1/order/abc/statusess', 'order-statuses'],
  ['GET', '/publicapi/v1/order', 'order'],
  ['GET', '/publicapi/v1/user/orders/abc', null],
  ['POST', '/restaurantapi/v1/order/abc/statuss', 'report-status'],
  ['GET', '/operatorapi/v1/application', 'applications'],
  ['POST', '/operatorapi/v1/application', 'create-application'],
  ['GET', '/publicapi/v1/application', null],
  ['GET', '/publicapi/v1/nonsense', null],
  ['GET', '/wp-login.php', null],
  ['GET', '/', null],
  ['GET', `/publicapi/v1/${'send-order'.repeat(1_000)}`, null],
])('%s %s may be meant for %s', (method, path, name) => {
  expect(nearestOperation(method, path)?.name ?? null).toBe(name)
})

test('the error names the suggested method and path, and no part of the request', () => {
  const { message } = noSuchEndpoint({ method: 'GET', url: '/publicapi/v1/orders/4242424242424242?x=y' })
  expect(message).toBe('There is no such endpoint. Did you mean GET /publicapi/v1/order/{apiKey}?')
  expect(noSuchEndpoint({ method: 'GET', url: '/nonsense' }).message).toBe('There is no such endpoint.')
})
