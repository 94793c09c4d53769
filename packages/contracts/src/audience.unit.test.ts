import { expect, test } from 'vitest'
import { audienceOf } from '#/audience.ts'
import { Tokenize } from '#/internal/tokenize.ts'
import { PauseRestaurant } from '#/operations/pause.ts'
import { PutMenu } from '#/operations/put-menu.ts'
import { SendOrder } from '#/operations/send-order.ts'

test.each([
  ['/publicapi/v1/send-order', 'application'],
  ['/publicapi/v2/anything?query', 'application'],
  ['/restaurantapi/v1/menu', 'restaurant'],
  ['/operatorapi/v1/access-keys', 'operator'],
  ['/internal/tokenize', 'service'],
  ['/publicapi', undefined],
  ['/publicapix/v1/order', undefined],
  ['/v1/publicapi/order', undefined],
  ['/docs', undefined],
])('the audience of %s is %s', (path, audience) => {
  expect(audienceOf(path)).toBe(audience)
})

test('an operation has the audience of its path', () => {
  const operations = [SendOrder, PauseRestaurant, PutMenu, Tokenize]
  expect(operations.map(({ audience }) => audience)).toEqual([
    'application',
    'restaurant',
    'operator',
    'service',
  ])
})
