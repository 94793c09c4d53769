import { expect, test } from 'vitest'
import { sendOrder, stack, agreed, becomes } from './client.ts'
import { restaurantInput } from './own-restaurant.ts'
import { setUpKitchen } from './kitchen.ts'

const { change, details, openInSearch, order, own } = setUpKitchen()

test('a pause closes the restaurant in details, search and orders; the 422 states when it ends', async () => {
  const earliest = Math.floor(Date.now() / 1_000) + 1_200
  const paused = await change<{ paused: boolean; pausedUntil: number }>('pause', { minutes: 20 })
  const latest = Math.ceil(Date.now() / 1_000) + 1_201
  expect(paused).toMatchObject({ status: 200, body: { paused: true } })
  const { pausedUntil } = paused.body
  expect(pausedUntil).toBeGreaterThanOrEqual(earliest)
  expect(pausedUntil).toBeLessThanOrEqual(latest)
  expect(await becomes(async () => (await details()).open, 'false')).toBe('false')
  expect(await agreed(openInSearch)).toBe('false')
  const { status, body } = await sendOrder(await order())
  expect({ status, code: body.code }).toEqual({ status: 422, code: 'restaurant-closed' })
  const clock = new Intl.DateTimeFormat('en-US', {
    timeZone: restaurantInput.timezone,
    hour: 'numeric',
    minute: '2-digit',
  }).format(pausedUntil * 1_000)
  expect(body.detail).toContain(`until ${clock.replaceAll('\u202F', ' ')}`)
})

test('a pause without minutes lasts until resume', async () => {
  expect(await change('pause', {})).toMatchObject({ status: 200, body: { paused: true, pausedUntil: null } })
  expect(await own('restaurant')).toMatchObject({ paused: true, pausedUntil: null })
  expect(await becomes(async () => (await details()).open, 'false')).toBe('false')
  const { status, body } = await sendOrder(await order())
  expect({ status, code: body.code }).toEqual({ status: 422, code: 'restaurant-closed' })
  expect(body.detail).toContain('until it resumes')
  expect(await change('resume')).toMatchObject({ status: 200, body: { paused: false, pausedUntil: null } })
})

test('pause rejects minutes of 0, 1,441, 1.5 or text (400), and an application key (403)', async () => {
  for (const minutes of [0, 1_441, 1.5, 'long'])
    expect(await change('pause', { minutes })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/minutes' }] },
    })
  expect(await change('pause', { minutes: 5 }, stack().accessKey)).toMatchObject({
    status: 403,
    body: { code: 'not-allowed' },
  })
})
