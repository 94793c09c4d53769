import * as contracts from '@platter/contracts'
import { operations, type Operation, type Principal } from '@platter/contracts'
import { createLog, PRINCIPAL_HEADER, principalSigner, readConfig, type Log, type Parts } from '@platter/kit'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { servers } from '@platter/testkit'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { z } from 'zod'
import { databaseServices } from '../../dev/stack/services.ts'

/*
 * An attacker in the private network bypasses the gateway, and calls every operation of every service. A service rejects the calls
 * before it reads them, so the test wires the services without starting them.
 */

const SECRET = 'the secret that the services have agreed on'
const OTHER = 'the secret that they are about to agree on'
const root = fileURLToPath(new URL('../../', import.meta.url))
const log = createLog('test', 'silent')
const services: Record<string, Parts> = {}

const isOperation = (one: unknown): one is Operation =>
  typeof one === 'object' && one !== null && 'owner' in one && 'path' in one && 'method' in one

const internal = (Object.values(contracts) as readonly unknown[])
  .filter(isOperation)
  .filter(({ path }) => path.startsWith('/internal/'))
const all: readonly Operation[] = [...operations, ...internal]

beforeAll(async () => {
  const environment = {
    NODE_ENV: 'development',
    PORT: '0',
    LOG_LEVEL: 'fatal',
    INTERNAL_SECRET: SECRET,
    INTERNAL_SECRET_OTHER: OTHER,
    PASSWORD_PEPPER: SECRET,
    DATABASE_URL: servers().postgres,
    AMQP_URL: servers().rabbitmq,
    REDIS_URL: servers().redis,
    PAYMENTS_URL: 'http://127.0.0.1:9',
    PROCESSOR_URL: 'http://127.0.0.1:9',
  }
  for (const name of databaseServices) {
    const load = (file: string) => import(pathToFileURL(`${root}services/${name}/src/${file}`).href)
    const { Config } = (await load('config.ts')) as { Config: z.ZodType }
    const { wire } = (await load('wire.ts')) as { wire: (config: unknown, log: Log) => Parts }
    services[name] = wire(readConfig(Config, environment), log)
  }
})

afterAll(async () => {
  await Promise.all(Object.values(services).map(async (service) => service.close?.()))
})

/** Returns a principal that may call an operation. */
const callerOf = ({ path }: Operation): Principal =>
  path.startsWith('/publicapi/')
    ? { kind: 'application', applicationId: 'an-application', accessKeyId: 'a-key', mode: 'live' }
    : path.startsWith('/restaurantapi/')
      ? { kind: 'restaurant', restaurantApiKey: 'a-restaurant', accessKeyId: 'a-key' }
      : path.startsWith('/operatorapi/')
        ? { kind: 'operator', accessKeyId: 'a-key' }
        : { kind: 'service', service: 'orders' }

const another = (owner: string) => (owner === 'orders' ? 'accounts' : 'orders')
const HS256 = { alg: 'HS256' }
const bytes = (text: string) => new TextEncoder().encode(text)
const now = () => Math.floor(Date.now() / 1000)
const base64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

const claimed = (operation: Operation) =>
  new SignJWT({ principal: callerOf(operation) }).setProtectedHeader(HS256).setAudience(operation.owner)

const refused: Record<string, (operation: Operation) => Promise<string | undefined>> = {
  'no token': async () => undefined,
  'a text that is no token': async () => 'application',
  'a token signed with another secret': (operation) =>
    claimed(operation)
      .setIssuedAt()
      .setExpirationTime('60s')
      .sign(bytes('x'.repeat(32))),
  'a token without a signature (alg none)': async (operation) =>
    `${base64({ alg: 'none' })}.${base64({ principal: callerOf(operation), aud: operation.owner, exp: now() + 60 })}.`,
  'a token with a changed principal': async (operation) => {
    const [head, , signature] = (await signed(operation)).split('.')
    const principal = { kind: 'operator', accessKeyId: 'another-key' }
    return [head, base64({ principal, aud: operation.owner, exp: now() + 60 }), signature].join('.')
  },
  'a token for another service': (operation) =>
    principalSigner([SECRET])(callerOf(operation), another(operation.owner)),
  'a token that has expired': (operation) =>
    claimed(operation)
      .setExpirationTime(now() - 1)
      .sign(bytes(SECRET)),
  'a token without an expiry': (operation) => claimed(operation).setIssuedAt().sign(bytes(SECRET)),
  'a token with a principal of an unknown kind': ({ owner }) =>
    new SignJWT({ principal: { kind: 'root' } })
      .setProtectedHeader(HS256)
      .setAudience(owner)
      .setExpirationTime('60s')
      .sign(bytes(SECRET)),
}

const signed = (operation: Operation, secret = SECRET) =>
  principalSigner([secret])(callerOf(operation), operation.owner)

async function call({ method, path, owner }: Operation, token: string | undefined) {
  const service = services[owner]
  if (!service) throw new Error(`${owner} is not wired`)
  const url = path.replaceAll(/:\w+/g, 'a-key')
  const headers = token === undefined ? {} : { [PRINCIPAL_HEADER]: token }
  const response = await service.app.inject({ method, url, headers })
  return { status: response.statusCode, code: response.json<{ code?: string }>().code }
}

test.each(Object.entries(refused))(
  'every operation of every service rejects %s with 401',
  async (_, token) => {
    const responses = await Promise.all(
      all.map(async (operation) => ({
        name: operation.name,
        ...(await call(operation, await token(operation))),
      })),
    )
    expect(responses).toEqual(all.map(({ name }) => ({ name, status: 401, code: 'access-token-invalid' })))
  },
)

test('the tested operations are more than 40, and belong to all services', () => {
  expect(internal.length).toBeGreaterThan(5)
  expect(all.length).toBeGreaterThan(40)
  expect(new Set(all.map(({ owner }) => owner))).toEqual(new Set(Object.keys(services)))
})

test.each([
  ['the current secret', SECRET],
  ['the other secret', OTHER],
])('accepts the right principal, signed with %s (400 for the body)', async (_, secret) => {
  for (const operation of internal) {
    const response = await call(operation, await signed(operation, secret))
    expect({ name: operation.name, ...response }).toMatchObject({ name: operation.name, status: 400 })
  }
})

test('rejects a principal of another kind (403)', async () => {
  for (const operation of internal) {
    const token = await principalSigner([SECRET])({ kind: 'operator', accessKeyId: 'a-key' }, operation.owner)
    expect(await call(operation, token)).toEqual({ status: 403, code: 'not-allowed' })
  }
})
