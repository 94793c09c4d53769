import { expect, test } from 'vitest'
import { Problem, problemResponse } from '#/http/problem.ts'

test('a problem is an Error with its cause, and captures no stack', () => {
  const cause = new Error('refused')
  const problem = new Problem('service-unavailable', 'Not available.', { cause })
  expect(problem).toBeInstanceOf(Error)
  expect(problem).toMatchObject({ name: 'Problem', message: 'Not available.', cause, status: 503 })
  expect(problem.stack).toBeUndefined()
})

test('the detail is by default the title of the code', () => {
  expect(new Problem('user-not-found').message).toBe('There is no such user.')
})

test('a 503 has a retryAfterSeconds of 1 or its own value, a 502 of 10; a 4xx has none', () => {
  expect(new Problem('service-unavailable', '').retryAfterSeconds).toBe(1)
  expect(new Problem('restaurant-unreachable', '').retryAfterSeconds).toBe(10)
  expect(new Problem('overloaded', '', { retryAfterSeconds: 3 }).retryAfterSeconds).toBe(3)
  expect(new Problem('invalid-field', '').retryAfterSeconds).toBeUndefined()
})

const challengeOf = (problem: Problem) =>
  problemResponse(problem, 'r1', '/publicapi/v1/signin').headers['www-authenticate']

test('a 401 has a challenge of a scheme that no browser knows; other statuses have none', () => {
  expect(challengeOf(new Problem('invalid-credentials'))).toBe('AccessKey realm="Platter"')
  expect(challengeOf(new Problem('access-token-missing'))).toBe('AccessKey realm="Platter"')
  expect(challengeOf(new Problem('not-allowed'))).toBeUndefined()
})

test('several faults have the code of the first fault that a retry cannot resolve', () => {
  const faults = [
    { pointer: '/restaurantApiKey', code: 'restaurant-closed' as const, detail: 'It is closed.' },
    { pointer: '/tip', code: 'invalid-field' as const, detail: 'tip is not a number.' },
  ]
  expect(Problem.of(faults)).toMatchObject({ code: 'invalid-field', faults })
  expect(() => Problem.of([])).toThrow(TypeError)
})
