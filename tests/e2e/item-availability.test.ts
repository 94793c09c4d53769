import { expect, test } from 'vitest'
import { sendOrder, agreed, becomes } from './client.ts'
import { aKitchen } from './own-restaurant.ts'
import { EXPIRE_OVERRIDE, setUpKitchen } from './kitchen.ts'
import { plant } from './planted.ts'

const { dumplings, soup, change, onTheMenu, order, validated } = setUpKitchen()

test('a sold-out item is unavailable at every replica and cannot be ordered, until it is available again', async () => {
  const off = await change(`item/${soup}/availability`, { available: false })
  expect(off).toMatchObject({ status: 200, body: { apiKey: soup, available: false, until: null } })
  expect(await becomes(() => onTheMenu(soup), 'false')).toBe('false')
  expect(await agreed(() => validated({ items: [{ apiKey: soup }] }))).toBe('422 item-unavailable')
  expect(await sendOrder(await order({ items: [{ apiKey: soup }] }))).toMatchObject({
    status: 422,
    body: { code: 'item-unavailable', errors: [{ pointer: '/items/0/apiKey' }] },
  })
  const on = await change(`item/${soup}/availability`, { available: 'true' })
  expect(on.body).toEqual({ apiKey: soup, available: true, until: null })
  expect(await becomes(() => onTheMenu(soup), 'true')).toBe('true')
  expect(await validated({ items: [{ apiKey: soup }] })).toBe('200')
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
    expect(await change(`item/${dumplings}/availability`, body)).toMatchObject({
      status: 400,
      body: { errors: [{ pointer }] },
    })
  const otherKey = (await aKitchen()).key
  expect(await change(`item/${dumplings}/availability`, { available: false }, otherKey)).toMatchObject({
    status: 404,
    body: { code: 'item-not-found' },
  })
  expect(await onTheMenu(dumplings)).toBe(true)
})

test('until: an availability override expires', async () => {
  const until = Math.floor(Date.now() / 1_000) + 3_600
  expect((await change(`item/${dumplings}/availability`, { available: false, until })).body).toEqual({
    apiKey: dumplings,
    available: false,
    until,
  })
  expect(await becomes(() => onTheMenu(dumplings), 'false')).toBe('false')
  await plant(EXPIRE_OVERRIDE, dumplings)
  expect(await becomes(() => onTheMenu(dumplings), 'true')).toBe('true')
})
