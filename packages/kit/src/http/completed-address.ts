import type { CompletedAddress, Fault } from '@platter/contracts'
import { Problem } from '#/http/problem.ts'

/**
 * Returns a fault for each field that the catalog service could not complete in the address at `pointer`. Throws Problem
 * service-unavailable while the geocoder is unavailable, because a retry may complete the address.
 */
export function completionFaults(
  address: Pick<CompletedAddress, 'city' | 'state' | 'zip' | 'isUnavailable'>,
  pointer: string,
): Fault[] {
  const missing = (['city', 'state', 'zip'] as const).filter((field) => address[field] === '')
  if (missing.length > 0 && address.isUnavailable)
    throw new Problem('service-unavailable', 'Addresses cannot be looked up right now. Please try again.')
  return missing.map((field) => ({
    pointer: `${pointer}/${field}`,
    code: 'missing-field',
    detail: `${field} is missing and cannot be derived from the rest of the address.`,
  }))
}
