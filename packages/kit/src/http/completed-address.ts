import { missingOf, type CompletedAddress, type Fault } from '@platter/contracts'
import { Problem } from '#/http/problem.ts'

/**
 * The fields that catalog could not complete, as faults of the address at `pointer`. Throws Problem service-unavailable while the
 * geocoder is unavailable, because a later request may complete them.
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
