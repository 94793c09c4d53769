import { beforeEach, expect, test } from 'vitest'
import { createApp, type App } from './http.ts'
import { CROWDED_HEADER, Intake, limitReads, tellCrowded } from './intake.ts'
import { createLog } from './log.ts'

let ends: (() => void)[]
beforeEach(() => {
  ends = []
})
const work = () => new Promise<void>((resolve) => ends.push(resolve))

test('new work is refused when there is no room, and taken again when there is', async () => {
  const intake = new Intake({ crowded: 1, full: 2 })
  const taken = [intake.take(work), intake.take(work)]
  await expect(intake.take(work)).rejects.toMatchObject({ code: 'overloaded', status: 503 })
  expect(ends).toHaveLength(2)
  for (const end of ends) end()
  await Promise.all(taken)
  expect(await intake.take(async () => 'done')).toBe('done')
})

test('what was taken before goes on, however much there is, and counts', async () => {
  const intake = new Intake({ crowded: 1, full: 1 })
  const taken = [intake.take(work), intake.goOn(work)]
  expect(ends).toHaveLength(2)
  expect(intake.isCrowded).toBe(true)
  for (const end of ends) end()
  await Promise.all(taken)
  expect(intake.isCrowded).toBe(false)
})

test('work that fails makes room as well', async () => {
  const intake = new Intake({ crowded: 1, full: 1 })
  await expect(intake.take(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await intake.take(async () => 'done')).toBe('done')
})

test('every answer of a crowded process says so', async () => {
  const app = createApp(createLog('test', 'silent'))
  const intake = new Intake({ crowded: 0, full: 9 })
  tellCrowded(app, intake)
  app.get('/', async () => ({}))
  expect((await app.inject('/')).headers[CROWDED_HEADER]).toBeUndefined()
  const taken = intake.take(work)
  expect((await app.inject('/')).headers[CROWDED_HEADER]).toBe('true')
  expect((await app.inject('/none')).headers[CROWDED_HEADER]).toBe('true')
  ends[0]!()
  await taken
})

test('of 300 reads of applications at a time 256 are done; restaurants, operators and writes are not counted', async () => {
  const app: App = createApp(createLog('test', 'silent'))
  limitReads(app)
  for (const url of ['/publicapi/v1/x', '/restaurantapi/v1/x', '/operatorapi/v1/x'])
    app.route({ method: ['GET', 'POST'], url, handler: async () => work().then(() => ({})) })
  const reads = Array.from({ length: 300 }, () => app.inject('/publicapi/v1/x'))
  const others = [
    app.inject('/restaurantapi/v1/x'),
    app.inject('/operatorapi/v1/x'),
    app.inject({ method: 'POST', url: '/publicapi/v1/x' }),
  ]
  await expect.poll(() => ends.length).toBe(256 + 3)
  for (const end of ends) end()
  const statuses = (await Promise.all(reads)).map(({ statusCode }) => statusCode)
  expect(statuses.filter((status) => status === 200)).toHaveLength(256)
  expect(statuses.filter((status) => status === 503)).toHaveLength(44)
  expect((await Promise.all(others)).map(({ statusCode }) => statusCode)).toEqual([200, 200, 200])
})
