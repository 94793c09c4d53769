import { expect, test } from 'vitest'
import { RefundRequest } from '#/refund.ts'

const pathsOf = (parts: object) =>
  RefundRequest.safeParse({ reason: 'LATE', ...parts }).error?.issues.map(({ path }) => path.join('/')) ?? []

test.each([
  ['an amount', { amount: 1 }],
  ['all', { all: true }],
  [
    'items, delivery and tip',
    { items: [{ index: 0 }, { index: 1 }], includeDelivery: true, includeTip: true },
  ],
  ['the tip', { items: [], includeTip: true }],
])('accepts a refund of %s', (_, parts) => {
  expect(pathsOf(parts)).toEqual([])
})

test.each([
  ['without any part', {}, ''],
  ['of an empty list of items', { items: [] }, ''],
  ['of an amount and all', { amount: 1, all: true }, ''],
  ['of an amount and the tip', { amount: 1, includeTip: true }, ''],
  ['of all and an item', { all: true, items: [{ index: 0 }] }, ''],
  ['of one item twice', { items: [{ index: 1 }, { index: 0 }, { index: 1 }] }, 'items/2/index'],
  ['of 0.00', { amount: 0 }, 'amount'],
])('refuses a refund %s, with its pointer', (_, parts, path) => {
  expect(pathsOf(parts)).toEqual([path])
})
