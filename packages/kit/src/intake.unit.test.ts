import { expect, test } from 'vitest'
import { createApp, type App } from './http.ts'
import { Intake, limitReads } from './intake.ts'
import { createLog } from './log.ts'

test('new work is refused when there is no room, and taken again when there is', () => {
  const intake = new Intake(2)
  const one = intake.enter()
  intake.enter()
  expect(() => intake.enter()).toThrow(expect.objectContaining({ code: 'overloaded', status: 503 }) as Error)
  one.over()
  expect(() => intake.enter()).not.toThrow()
})

test('work is over once, however often it is said', () => {
  const intake = new Intake(2)
  {
    using early = intake.enter()
    early.over()
    early.over()
  }
  for (const _ of [1, 2]) intake.enter()
  expect(intake.hasRoom()).toBe(false)
})

test('one application takes two thirds of the room at most, and others share what is left alike', () => {
  const intake = new Intake(12)
  const taken = (applicationId: string) => {
    for (let count = 0; ; count += 1)
      try {
        intake.enter(applicationId)
      } catch {
        return count
      }
  }
  expect(['noisy', 'loud', 'quiet'].map(taken)).toEqual([8, 3, 1])
})

test('of 600 reads of applications at a time 512 are done; restaurants, operators and writes are not counted', async () => {
  const ends: (() => void)[] = []
  const work = () => new Promise<void>((resolve) => ends.push(resolve))
  const app: App = createApp(createLog('test', 'silent'))
  limitReads(app)
  for (const url of ['/publicapi/v1/x', '/restaurantapi/v1/x', '/operatorapi/v1/x'])
    app.route({ method: ['GET', 'POST'], url, handler: async () => work().then(() => ({})) })
  const reads = Array.from({ length: 600 }, () => app.inject('/publicapi/v1/x'))
  const others = [
    app.inject('/restaurantapi/v1/x'),
    app.inject('/operatorapi/v1/x'),
    app.inject({ method: 'POST', url: '/publicapi/v1/x' }),
  ]
  await expect.poll(() => ends.length).toBe(512 + 3)
  for (const end of ends) end()
  const statuses = (await Promise.all(reads)).map(({ statusCode }) => statusCode)
  expect(statuses.filter((status) => status === 200)).toHaveLength(512)
  expect(statuses.filter((status) => status === 503)).toHaveLength(88)
  expect((await Promise.all(others)).map(({ statusCode }) => statusCode)).toEqual([200, 200, 200])
})
