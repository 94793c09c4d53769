import { expect, test } from 'vitest'
import { get, agreed, becomes } from './client.ts'
import { aKitchen } from './own-restaurant.ts'
import { setUpKitchen } from './kitchen.ts'

const { dumplings, chili, soy, change, onTheMenu, validated } = setUpKitchen()

test('a sold-out choice is unavailable at every replica and cannot be ordered, until it is available again', async () => {
  const wanted = { items: [{ apiKey: dumplings, customizationChoices: [{ apiKey: chili }] }] }
  expect((await change(`choice/${chili}/availability`, { available: false })).status).toBe(200)
  expect(await becomes(() => onTheMenu(chili), 'false')).toBe('false')
  expect(await onTheMenu(soy)).toBe(true)
  expect(await agreed(() => validated(wanted))).toBe('422 item-unavailable')
  const customizations = await get(`customizations/${dumplings}`)
  expect(JSON.stringify(customizations.body)).toContain('"available":false')
  await change(`choice/${chili}/availability`, { available: true })
  expect(await validated(wanted)).toBe('200')
})

test('404 item-not-found for a choice of another menu, and for an item', async () => {
  const otherKey = (await aKitchen()).key
  const missing = { status: 404, body: { code: 'item-not-found' } }
  expect(await change(`choice/${chili}/availability`, { available: false }, otherKey)).toMatchObject(missing)
  expect(await change(`choice/${dumplings}/availability`, { available: false })).toMatchObject(missing)
})
