import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { startHttpServer, type HttpServer } from '@platter/testkit/http-server'
import { api, call, card, eventually, authorizationsOf, maria, operator, sendOrder } from './client.ts'
import { aRestaurant, menuItem } from './own-restaurant.ts'
import { setUpOwnStack } from './stack.ts'

const secret = `whsec_${Buffer.from('a secret of 24 bytes, ok').toString('base64')}`

/** The system of a restaurant: whether it works, and the types of the signed messages that it received. */
const kitchen = { works: true, types: [] as string[] }
let server: HttpServer

setUpOwnStack(async () => {
  server = await startHttpServer((request, response) => {
    void text(request).then((body) => {
      const { type } = new Webhook(secret).verify(body, request.headers as Record<string, string>) as {
        type: string
      }
      kitchen.types.push(type)
      response.writeHead(kitchen.works ? 204 : 500).end()
    })
  })
  return server.close
})

type Kitchen = { restaurantApiKey: string; items: { apiKey: string }[] }

async function aKitchen(requireAttendance: boolean): Promise<Kitchen> {
  const { apiKey, ...item } = menuItem(61.73)
  const restaurantApiKey = await aRestaurant({ requireAttendance }, [{ apiKey, ...item }])
  return { restaurantApiKey, items: [{ apiKey }] }
}

const order = (of: Kitchen) => ({
  ...of,
  method: 'pickup',
  payment: 'card',
  card: card(),
  recipient: maria,
})

type Own = { open: boolean; closedReason?: string }
type Attendance = { attended: boolean; link: string; until: number | null }

const ofRestaurant = async <T>(accessKey: string, path: string) =>
  (await call<T>(`/restaurantapi/v1/${path}`, { key: accessKey })).body
const details = async (restaurantApiKey: string) =>
  (await api.get<Own>(`restaurant/${restaurantApiKey}`)).body
const becomesOpen = (restaurantApiKey: string, open: boolean) =>
  eventually(
    () => details(restaurantApiKey),
    (restaurant) => restaurant.open === open,
  )

test('an unattended console closes its restaurant (422, no authorization), until it connects', async () => {
  const own = await aKitchen(true)
  const { restaurantApiKey } = own
  await api.linkConsole(restaurantApiKey)
  const accessKey = await api.restaurantKey(restaurantApiKey)
  expect(await becomesOpen(restaurantApiKey, false)).toMatchObject({
    open: false,
    closedReason: 'unattended',
  })
  const refused = await sendOrder(order(own))
  expect({ status: refused.status, code: refused.body.code }).toEqual({
    status: 422,
    code: 'restaurant-closed',
  })
  expect(refused.body.detail).toContain('not connected')

  expect(await ofRestaurant<Attendance>(accessKey, 'attendance')).toMatchObject({
    attended: true,
    link: 'console',
  })
  const opened = await becomesOpen(restaurantApiKey, true)
  expect(opened.open).toBe(true)
  expect(await ofRestaurant<Own>(accessKey, 'restaurant')).toMatchObject({ open: true })
  expect(opened).not.toHaveProperty('closedReason')
  const placed = await sendOrder(order(own))
  expect(placed.status).toBe(200)
  // Both orders have the same total, but only this one was authorized.
  const authorized = await eventually(
    () => authorizationsOf(placed.body.total),
    (lines) => lines.length > 0,
  )
  expect(authorized.map(({ reference }) => reference)).toEqual([placed.body.apiKey])
})

test('a new webhook is pinged: a failed ping closes the restaurant, and a 2xx opens it', async () => {
  const { restaurantApiKey } = await aKitchen(true)
  const url = `${server.url}/orders`
  kitchen.works = false
  await operator('PUT', `restaurants/${restaurantApiKey}/link`, { kind: 'webhook', url, secret })
  // A console that never connected is unattended before its first ping.
  await eventually(
    async () => kitchen.types,
    (types) => types.includes('ping'),
  )
  expect(kitchen.types).toContain('ping')
  expect(await becomesOpen(restaurantApiKey, false)).toMatchObject({ closedReason: 'unattended' })
  kitchen.works = true
  expect(await becomesOpen(restaurantApiKey, true)).toMatchObject({ open: true })
})

test('a restaurant with requireAttendance false is open with an unattended console', async () => {
  const { restaurantApiKey } = await aKitchen(false)
  await api.linkConsole(restaurantApiKey)
  const listed = await operator<{ apiKey: string; requireAttendance: boolean }[]>(
    'GET',
    'restaurants?limit=200',
  )
  // Other files of this stack create restaurants at the same time.
  expect(listed.body.find(({ apiKey }) => apiKey === restaurantApiKey)?.requireAttendance).toBe(false)
  expect((await details(restaurantApiKey)).open).toBe(true)
})
