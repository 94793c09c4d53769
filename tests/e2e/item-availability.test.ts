import { expect, test } from 'vitest'
import { sendOrder } from './client.ts'
import { aKitchen } from './own-restaurant.ts'
import { agreed, becomes, EXPIRE_OVERRIDE, setUpPieKitchen } from './pie-kitchen.ts'
import { plant } from './planted.ts'

const { pie, crust, change, onTheMenu, order, validated } = setUpPieKitchen()

test('a sold-out item is unavailable at every replica and cannot be ordered, until it is available again', async () => {
  const off = await change(`item/${crust}/availability`, { available: false })
  expect(off).toMatchObject({ status: 200, body: { apiKey: crust, available: false, until: null } })
  expect(await becomes(() => onTheMenu(crust), 'false')).toBe('false')
  expect(await agreed(() => validated({ items: [{ apiKey: crust }] }))).toBe('422 item-unavailable')
  expect(await sendOrder(await order({ items: [{ apiKey: crust }] }))).toMatchObject({
    status: 422,
    body: { code: 'item-unavailable', errors: [{ pointer: '/items/0/apiKey' }] },
  })
  const on = await change(`item/${crust}/availability`, { available: 'true' })
  expect(on.body).toEqual({ apiKey: crust, available: true, until: null })
  expect(await becomes(() => onTheMenu(crust), 'true')).toBe('true')
  expect(await validated({ items: [{ apiKey: crust }] })).toBe('200')
})

test('400 names the invalid field; 404 item-not-found for an item of another menu', async () => {
  for (const [body, pointer] of [
    [{ available: false, until: 1 }, '/until'],
    [{ available: false, until: Date.now() }, '/until'],
    [{ available: false, until: Date.now() * 1_000 }, '/until'],
    [{ available: true, until: 1_900_000_000 }, '/until'],
    [{ available: 'perhaps' }, '/available'],
    [{}, '/available'],
  ] as const)
    expect(await change(`item/${pie}/availability`, body)).toMatchObject({
      status: 400,
      body: { errors: [{ pointer }] },
    })
  const otherKey = (await aKitchen()).key
  expect(await change(`item/${pie}/availability`, { available: false }, otherKey)).toMatchObject({
    status: 404,
    body: { code: 'item-not-found' },
  })
  expect(await onTheMenu(pie)).toBe(true)
})

test('until: an availability override expires', async () => {
  const until = Math.floor(Date.now() / 1_000) + 3_600
  expect((await change(`item/${pie}/availability`, { available: false, until })).body).toEqual({
    apiKey: pie,
    available: false,
    until,
  })
  expect(await becomes(() => onTheMenu(pie), 'false')).toBe('false')
  await plant(EXPIRE_OVERRIDE, pie)
  expect(await becomes(() => onTheMenu(pie), 'true')).toBe('true')
})
