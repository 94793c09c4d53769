import { ReadAttention, type Attention } from '@platter/contracts'
import { expect, test } from 'vitest'
import {
  anOrder,
  call,
  seedRestaurants,
  eventually,
  operator,
  readOrder,
  sendOrder,
  paidByCard,
  expectConforms,
} from './client.ts'
import { incidentsOf, readIncidents, retry, setUpDeadLetters, STREET } from './incidents.ts'
import { plantAge, plantOverdue } from './planted.ts'
import { keyOf } from './stack.ts'

const deadLetter = setUpDeadLetters()

test('a dead letter is an incident with its queue, step and reason, and without its content', async () => {
  const incident = await deadLetter()
  expect(incident).toMatchObject({
    kind: 'dead-letter',
    what: 'accounts.save (save)',
    reason: 'Its data is invalid, or its handler failed: see the log.',
    count: 1,
  })
  const all = await readIncidents()
  expectConforms(ReadAttention, all)
  expect(JSON.stringify(all)).not.toContain(STREET)
})

test('repeated dead letters of one order are one incident with a count of 4', async () => {
  const { orderApiKey } = await deadLetter()
  for (let count = 0; count < 3; count++) await deadLetter(orderApiKey ?? '')
  const [one, ...others] = await eventually(
    () => incidentsOf(orderApiKey ?? ''),
    ([found]) => found?.count === 4,
  )
  expect([one?.count, others]).toEqual([4, []])
})

/** Places an order that the restaurant must accept on its console. */
const placeOnConsole = async (): Promise<string> =>
  (await sendOrder(await anOrder(seedRestaurants.console))).body.apiKey

test('an unstarted order is an incident from half of its 15 minutes on, until it is started', async () => {
  const apiKey = await placeOnConsole()
  await plantAge(apiKey, '7 minutes')
  expect(await incidentsOf(apiKey)).toEqual([])
  expect(await retry(`order_${apiKey}`)).toMatchObject({ status: 404 })

  const earliest = Math.floor(Date.now() / 1_000) - 10
  await plantAge(apiKey, '7 minutes 40 seconds')
  const latest = Math.ceil(Date.now() / 1_000) - 10
  const [unaccepted, ...others] = await incidentsOf(apiKey)
  expect(others).toEqual([])
  expect(unaccepted).toMatchObject({
    id: `order_${apiKey}`,
    kind: 'order-unaccepted',
    what: `restaurant ${seedRestaurants.console}`,
    count: 0,
  })
  expect(unaccepted?.since).toBeGreaterThanOrEqual(earliest)
  expect(unaccepted?.since).toBeLessThanOrEqual(latest)
  const [, cancelledAt = ''] =
    /^The restaurant has not started the order\. It is cancelled at (.+)\. Telephone: .+\.$/.exec(
      unaccepted?.reason ?? '',
    ) ?? []
  expect(Date.parse(cancelledAt) / 1_000).toBe((unaccepted?.since ?? 0) + 450)
  expectConforms(ReadAttention, await readIncidents('?limit=200'))
  expect(await retry(`order_${apiKey}`)).toMatchObject({
    status: 200,
    body: {
      done: 'A retry changes nothing. Call the restaurant. Without its start the order is cancelled and refunded.',
    },
  })

  const key = keyOf(seedRestaurants.console)
  await call(`/restaurantapi/v1/order/${apiKey}/status`, { key, body: { status: 'PREPARING' } })
  expect(await incidentsOf(apiKey)).toEqual([])
  expect(await retry(`order_${apiKey}`)).toMatchObject({ status: 404 })
})

test('the cancellation of an unstarted order after 15 minutes closes its incident', async () => {
  const apiKey = await placeOnConsole()
  await plantAge(apiKey, '14 minutes 30 seconds')
  expect(await incidentsOf(apiKey)).toMatchObject([{ kind: 'order-unaccepted' }])
  await plantAge(apiKey, '15 minutes 1 second')
  const { cancellation } = await eventually(
    () => readOrder(apiKey),
    (order) => order.cancellation !== null,
  )
  expect(cancellation).toMatchObject({ cancelledBy: 'system', reason: 'restaurant-unreachable' })
  expect(await incidentsOf(apiKey)).toEqual([])
})

test('the pages of the list together contain every incident exactly once', async () => {
  const apiKeys = [await paidByCard(), await paidByCard()]
  for (const apiKey of apiKeys) await plantOverdue(apiKey)
  const deadLetters = [await deadLetter(), await deadLetter()]
  const unaccepted = [await placeOnConsole(), await placeOnConsole()]
  for (const apiKey of unaccepted) await plantAge(apiKey, '8 minutes')
  const seen: string[] = []
  let path: string | undefined = 'attention?limit=1'
  while (path !== undefined) {
    const response: { body: Attention[]; headers: Headers } = await operator<Attention[]>('GET', path)
    seen.push(...response.body.map(({ id }) => id))
    path = /<\/operatorapi\/v1\/(.*)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
  }
  expect(new Set(seen).size).toBe(seen.length)
  const ids = [
    ...deadLetters.map(({ id }) => id),
    ...apiKeys.map((key) => `saga_${key}`),
    ...unaccepted.map((key) => `order_${key}`),
  ]
  for (const id of ids) expect(seen).toContain(id)
  for (const apiKey of apiKeys) await retry(`saga_${apiKey}`)
})
