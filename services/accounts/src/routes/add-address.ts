import type { Bus } from '@platter/bus'
import {
  AddAddress,
  CatalogCompleteAddress,
  requestTimes,
  type CompletedAddress,
  type NewAddress,
} from '@platter/contracts'
import { completionFaults, isUnavailable, newApiKey, Problem, type Handler, type Db } from '@platter/kit'
import { idempotent } from '@platter/kit/idempotency/idempotent'
import type { AddressStore } from '#/store/addresses.ts'
import type { TenantDb } from '#/store/tables.ts'
import { ownerOf } from '#/store/tenant-user.ts'

type Deps = { tenantDb: TenantDb; addresses: (db: Db) => AddressStore; bus: Pick<Bus, 'ask'> }

/** docs/specification.md, "Endpoints". Catalog completes the address and locates its ZIP code. */
export function addAddress({ tenantDb, addresses, bus }: Deps): Handler<typeof AddAddress> {
  const { replay, execute } = idempotent((call) => tenantDb(call.principal.applicationId), AddAddress)
  return async (call) => {
    const replayed = await replay(call)
    if (replayed) return replayed
    const { city, state, zip, point } = await completeAddress(bus, call.body, call.requestId)
    return execute(call, async (trx) => {
      const { streetAddress, aptNumber = null } = call.body
      const where = { latitude: point?.latitude ?? null, longitude: point?.longitude ?? null }
      const address = { apiKey: newApiKey(), streetAddress, aptNumber, city, state, zip, ...where }
      await addresses(trx).add(ownerOf(call), address)
      return address
    })
  }
}

/** Throws a Problem for missing fields. While catalog is unavailable, a complete address is saved without a point. */
async function completeAddress(
  bus: Deps['bus'],
  given: NewAddress,
  requestId: string,
): Promise<CompletedAddress> {
  const { aptNumber: _apartment, ...address } = given
  try {
    const options = { requestId, timeoutMs: requestTimes.question }
    const completion = await bus.ask(CatalogCompleteAddress, address, options)
    const faults = completionFaults(completion, '')
    if (faults.length > 0) throw Problem.of(faults)
    return completion
  } catch (error) {
    const { city, state, zip } = given
    const isComplete = city !== undefined && state !== undefined && zip !== undefined
    if (isComplete && isUnavailable(error)) return { city, state, zip, point: null, isUnavailable: true }
    throw error
  }
}
