import { operation, type Operation, type Principal } from '@platter/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import type { App } from '#/http/app.ts'
import { readJson } from '#/http/body-parsers.ts'
import { Problem } from '#/http/problem.ts'
import { router } from '#/http/router.ts'
import { createApp } from '#/http/server.ts'
import { internalCaller, Replicas } from '#/http/upstream.ts'
import { PRINCIPAL_HEADER, principalSigner, type InternalSecrets } from '#/security/principal-token.ts'
import { createLog } from '#/telemetry/log.ts'

const secrets: InternalSecrets = ['not a secret, and long enough for one']
const sign = principalSigner(secrets)
const ofOperators = operation({
  name: 'read',
  summary: 'read',
  description: 'read',
  returns: 'read',
  examples: {},
  method: 'GET',
  path: '/operatorapi/v1/read',
  owner: 'payments',
  admission: 'priority',
  response: z.object({}),
  problems: [],
})
/** Another service calls it. It throws the Problem of the body. */
const internal: Operation = {
  name: 'refuse',
  method: 'POST',
  path: '/internal/refuse',
  audience: 'service',
  owner: 'payments',
  admission: 'priority',
  body: z.object({ code: z.enum(['rate-limited', 'card-declined', 'user-not-found']) }),
  response: z.object({}),
  problems: ['rate-limited', 'card-declined'],
}

let app: App
let replicas: Replicas

beforeAll(async () => {
  app = createApp(createLog('test', 'silent'))
  readJson(app)
  const route = router(app, secrets)
  route(ofOperators, async () => ({}))
  route(internal, async ({ body }) => {
    const { code } = body as { code: 'rate-limited' | 'card-declined' | 'user-not-found' }
    throw new Problem(code, 'Refused.', {
      declineCode: 'lost_card',
      faults: [{ pointer: '/card', code, detail: 'Refused.' }],
      ...(code === 'rate-limited' && { retryAfterSeconds: 17 }),
    })
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  replicas = new Replicas([app.listeningOrigin])
})
afterAll(async () => {
  await replicas.close()
  await app.close()
})

test.each<[number, string, Principal, audience: string]>([
  [200, 'an operator', { kind: 'operator', accessKeyId: 'k1' }, 'payments'],
  [403, 'a restaurant', { kind: 'restaurant', restaurantApiKey: 'r1', accessKeyId: 'k1' }, 'payments'],
  [403, 'another service', { kind: 'service', service: 'orders' }, 'payments'],
  [401, 'an operator, signed for another service,', { kind: 'operator', accessKeyId: 'k1' }, 'orders'],
])('%i for a request of %s to an operation of operators', async (status, _, principal, audience) => {
  const headers = { [PRINCIPAL_HEADER]: await sign(principal, audience) }
  expect((await app.inject({ url: ofOperators.path, headers })).statusCode).toBe(status)
})

const call = async (code: string, to = internal, by = secrets) => {
  const refuse = internalCaller({ service: 'orders', secrets: by, replicas, timeoutMs: 2_000 })
  return refuse(to, { code } as never, { requestId: 'q1' }).catch((error: unknown) => error)
}

test('a declared problem of an internal operation reaches its caller with its faults and Retry-After', async () => {
  expect(await call('rate-limited')).toMatchObject({
    code: 'rate-limited',
    message: 'Refused.',
    retryAfterSeconds: 17,
    faults: [{ pointer: '/card' }],
  })
  expect(await call('card-declined')).toMatchObject({ code: 'card-declined', declineCode: 'lost_card' })
})

test('an operation that the other service does not have yet, as during an upgrade, is service-unavailable', async () => {
  expect(await call('rate-limited', { ...internal, path: '/internal/new' })).toMatchObject({
    code: 'service-unavailable',
    cause: { message: 'payments: it has no refuse yet' },
  })
})

test('a service that rejects the principal, as with another clock, is service-unavailable', async () => {
  const problem = await call('rate-limited', internal, ['the secret of another platform, long enough'])
  expect(problem).toMatchObject({ code: 'service-unavailable' })
  expect(String((problem as Problem).cause)).toContain('payments: it rejects the signed principal')
})

test('an undeclared problem of an internal operation is a defect (internal-error)', async () => {
  expect(await call('user-not-found')).toMatchObject({ code: 'internal-error', faults: [] })
})
