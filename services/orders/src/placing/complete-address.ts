import type { Bus } from '@platter/bus'
import { CatalogCompleteAddress, requestTimes, type Fault, type OrderRequest } from '@platter/contracts'
import { completionFaults, type Deadline } from '@platter/kit'
import type { CompleteOrder } from '#/domain/order-request.ts'

/**
 * Completes the new address of an order. It sends a question to catalog only if a field is missing. With `faults`, the address
 * cannot be completed, and the `address` of the request is absent. Throws Problem service-unavailable if the geocoder does not respond.
 */
export async function withCompleteAddress(
  bus: Pick<Bus, 'ask'>,
  { address, ...rest }: OrderRequest,
  { requestId, deadline }: { requestId: string; deadline: Deadline },
): Promise<{ request: CompleteOrder; faults: Fault[] }> {
  if (!address || address.saved) return { request: { ...rest, address }, faults: [] }
  const { saved: _saved, aptNumber: _apartment, ...known } = address
  const { city, state, zip } = known
  if (city !== undefined && state !== undefined && zip !== undefined)
    return { request: { ...rest, address: { ...address, city, state, zip, point: null } }, faults: [] }
  const options = { requestId, timeoutMs: deadline.limit(requestTimes.question) }
  const { isUnavailable, ...completed } = await bus.ask(CatalogCompleteAddress, known, options)
  const faults = completionFaults({ ...completed, isUnavailable }, '/address')
  return {
    request: { ...rest, address: faults.length > 0 ? undefined : { ...address, ...completed } },
    faults,
  }
}
