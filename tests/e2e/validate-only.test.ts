import { expect, test } from 'vitest'
import { get, operator, type MenuCategory, type ProblemBody, type Restaurant } from './client.ts'
import { aRestaurant, menuItem, menuOf, newKey, restaurantInput } from './own-restaurant.ts'

const ONLY = '?validate-only=true'

test('validate-only returns a valid restaurant without storing it', async () => {
  const apiKey = newKey()
  const { status, body } = await operator<Restaurant>('PUT', `restaurants/${apiKey}${ONLY}`, restaurantInput)
  expect([status, body.name]).toEqual([200, restaurantInput.name])
  expect((await get(`restaurant/${apiKey}`)).status).toBe(404)
})

test('validate-only returns an existing restaurant as it would be, and leaves it unchanged', async () => {
  const apiKey = await aRestaurant()
  const { body } = await operator<Restaurant>('PUT', `restaurants/${apiKey}${ONLY}`, {
    ...restaurantInput,
    name: 'Another name',
    zones: [{ apiKey: newKey(), maxRadius: 3 }],
  })
  expect(body).toMatchObject({ name: 'Another name', zones: [{ maxRadius: 3 }] })
  expect((await get<Restaurant>(`restaurant/${apiKey}`)).body.name).toBe(restaurantInput.name)
})

test('validate-only reports invalid fields, and the zone apiKey of another restaurant (409)', async () => {
  const faulty = { ...restaurantInput, taxRate: 2, phone: undefined }
  const { body } = await operator<ProblemBody>('PUT', `restaurants/${newKey()}${ONLY}`, faulty)
  expect(body.errors.map(({ pointer }) => pointer).toSorted()).toEqual(['/phone', '/taxRate'])
  const zone = { apiKey: newKey(), maxRadius: 3 }
  await aRestaurant({ zones: [zone] })
  const taken = await operator<ProblemBody>('PUT', `restaurants/${newKey()}${ONLY}`, {
    ...restaurantInput,
    zones: [zone],
  })
  expect(taken).toMatchObject({ status: 409, body: { code: 'apikey-taken' } })
})

test('validate-only returns the new menu and stores none; a taken apiKey gets 409, an unknown restaurant gets 404', async () => {
  const item = menuItem(8)
  const apiKey = await aRestaurant({}, [item])
  const path = `restaurants/${apiKey}/menu${ONLY}`
  const validated = await operator<MenuCategory[]>('PUT', path, menuOf([menuItem(9)]))
  expect(validated.status).toBe(200)
  expect(validated.body.flatMap(({ items }) => items.map((one) => one.basePrice))).toEqual([9])
  const { body } = await get<MenuCategory[]>(`restaurant/${apiKey}/menu`)
  expect(body.flatMap(({ items }) => items.map((one) => one.apiKey))).toEqual([item.apiKey])
  const other = await aRestaurant()
  expect(await operator('PUT', `restaurants/${other}/menu${ONLY}`, menuOf([item]))).toMatchObject({
    status: 409,
    body: { code: 'apikey-taken' },
  })
  expect(await operator('PUT', `restaurants/${newKey()}/menu${ONLY}`, [])).toMatchObject({ status: 404 })
})
