import { afterEach, expect, test, vi } from 'vitest'
import type { DeliveryStore } from '#/store/deliveries.ts'
import { Leases } from '#/delivery/lease.ts'
import { LEASE_MS } from '#/domain/order-state.ts'

afterEach(() => void vi.useRealTimers())

const lease = { orderApiKey: 'o1', attempt: 2 }
/** For tests that renew no lease. */
const noStore = { deliveries: {} as DeliveryStore }

test('a lease is valid until it expires, from the moment before it was acquired', () => {
  const leases = new Leases(noStore)
  using fresh = leases.add(lease, performance.now())
  using expired = leases.add({ ...lease, orderApiKey: 'o2' }, performance.now() - LEASE_MS)
  expect([fresh.isValid, expired.isValid, leases.count]).toEqual([true, false, 2])
})

test('the end of an attempt leaves the lease of a later attempt of this replica for the same order', () => {
  const leases = new Leases(noStore)
  const earlier = leases.add({ ...lease, attempt: 1 }, performance.now())
  using later = leases.add(lease, performance.now())
  earlier[Symbol.dispose]()
  expect([later.isValid, leases.count]).toEqual([true, 1])
})

test('the lease of a quick attempt is not renewed, and its order is not published', async () => {
  const leases = new Leases(noStore)
  using quick = leases.add(lease, performance.now())
  expect(await leases.renew()).toEqual([])
  expect(quick.isValid).toBe(true)
})

test('a renewal extends a lease, except one that another replica has stolen meanwhile', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const deliveries = { renewLeases: async () => new Set(['o1']) } as Partial<DeliveryStore> as DeliveryStore
  const leases = new Leases({ deliveries })
  using own = leases.add(lease, performance.now())
  using stolen = leases.add({ ...lease, orderApiKey: 'o2' }, performance.now())
  vi.advanceTimersByTime(LEASE_MS - 1)
  await leases.renew()
  vi.advanceTimersByTime(LEASE_MS - 1)
  expect([own.isValid, stolen.isValid]).toEqual([true, false])
})
