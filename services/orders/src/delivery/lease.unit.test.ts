import { afterEach, expect, test, vi } from 'vitest'
import { Leases } from '#/delivery/lease.ts'
import { LEASE_MS } from '#/domain/order-state.ts'
import type { Stores } from '#/store/stores.ts'

afterEach(() => void vi.useRealTimers())

const attempt = (apiKey = 'o1') => ({
  orderApiKey: apiKey,
  attempt: 2,
  leasedAt: performance.now(),
})
/** For tests that renew no lease. */
const noStore = { deliveries: {} as Stores['deliveries'] }

test('a lease is valid for LEASE_MS from leasedAt, and an expired lease still counts', () => {
  const leases = new Leases(noStore)
  using fresh = leases.add(attempt())
  using expired = leases.add({ ...attempt('o2'), leasedAt: performance.now() - LEASE_MS })
  expect([fresh.isValid, expired.isValid, leases.count]).toEqual([true, false, 2])
})

test('the end of an attempt keeps the lease of a later attempt for the same order', () => {
  const leases = new Leases(noStore)
  const earlier = leases.add({ ...attempt(), attempt: 1 })
  using later = leases.add(attempt())
  earlier[Symbol.dispose]()
  expect([later.isValid, leases.count]).toEqual([true, 1])
})

test('the lease of a quick attempt is not renewed', async () => {
  const leases = new Leases(noStore)
  using quick = leases.add(attempt())
  await leases.renew()
  expect(quick.isValid).toBe(true)
})

test('a renewal extends a lease, except one that another replica has stolen meanwhile', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const deliveries = { renewLeases: async () => new Set(['o1']) } as Partial<
    Stores['deliveries']
  > as Stores['deliveries']
  const leases = new Leases({ deliveries })
  using own = leases.add(attempt())
  using stolen = leases.add(attempt('o2'))
  vi.advanceTimersByTime(LEASE_MS - 1)
  await leases.renew()
  vi.advanceTimersByTime(LEASE_MS - 1)
  expect([own.isValid, stolen.isValid]).toEqual([true, false])
})
