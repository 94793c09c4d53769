import type { Principal } from '@platter/contracts'
import { afterEach, expect, test, vi } from 'vitest'
import { principalSigner, principalVerifier, type InternalSecrets } from '#/security/principal-token.ts'

const secrets: InternalSecrets = ['a secret of at least 32 characters']
const principal: Principal = { kind: 'service', service: 'gateway' }
const sign = principalSigner(secrets)
const verify = principalVerifier(secrets)

afterEach(() => void vi.useRealTimers())

test.each([
  ['forward, as after a suspension of the machine', 300],
  ['back', -300],
])('a token is valid after the clock is set %s', async (_, seconds) => {
  vi.useFakeTimers({ toFake: ['Date'] })
  await sign(principal, 'orders')
  vi.setSystemTime(Date.now() + seconds * 1_000)
  expect(await verify(await sign(principal, 'orders'), 'orders')).toEqual(principal)
})

test('a token is reused within 20 s, and valid for 60 s', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 0 })
  const first = await sign(principal, 'orders')
  vi.setSystemTime(19_999)
  expect(await sign(principal, 'orders')).toBe(first)
  expect(await verify(first, 'orders')).toEqual(principal)
  vi.setSystemTime(60_000)
  expect(await verify(first, 'orders')).toBeNull()
})

test('a token is valid only for its service, also after that service has verified it', async () => {
  const token = await sign(principal, 'orders')
  expect(await verify(token, 'orders')).toEqual(principal)
  expect(await verify(token, 'payments')).toBeNull()
  expect(await verify(await sign(principal, 'payments'), 'payments')).toEqual(principal)
})
