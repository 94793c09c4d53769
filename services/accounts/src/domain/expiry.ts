import { hasExpired, type Fault } from '@platter/contracts'

type Expiry = { expirationMonth?: string | undefined; expirationYear?: string | undefined }

/** Returns the faults of an expired card, one each for month and year: either may be mistyped. */
export function expiryFaults({ expirationMonth, expirationYear }: Expiry, now: number): Fault[] {
  // A processor token may come without an expiry; the processor checks it.
  if (expirationMonth === undefined || expirationYear === undefined) return []
  if (!hasExpired({ expirationMonth, expirationYear }, now)) return []
  const detail = `The card expired at the end of ${expirationMonth}/${expirationYear}.`
  return ['/expirationMonth', '/expirationYear'].map((pointer) => ({ pointer, code: 'card-expired', detail }))
}
