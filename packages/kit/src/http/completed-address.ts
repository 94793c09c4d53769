import { missingOf, type CompletedAddress, type Fault } from '@platter/contracts'
import { Problem } from '#/http/problem.ts'

/**
 * Returns a fault for each field that the catalog service could not complete in the address at `pointer`. Throws Problem
 * service-unavailable while the geocoder is unavailable, because a retry may complete the address.
 */
export function completionFaults(
  address: Pick<CompletedAddress, 'city' | 'state' | 'zip' | 'isUnavailable'>,
  pointer: string,
): Fault[] {
  const faults = missingOf(address, pointer)
  if (faults.length > 0 && address.isUnavailable)
    throw new Problem('service-unavailable', 'Addresses cannot be looked up right now. Please try again.')
  return faults
}
