import type { Point } from '@platter/contracts'

/** Somewhere that a customer is, as far as it is known; a field that is not known is "". */
export type Place = { point: Point; streetAddress: string; city: string; state: string; zip: string }

/** The five digits of a ZIP code that may be written as ZIP+4; of anything else the text itself. */
export const zipOf = (text: string): string => /^\s*(\d{5})-\d{4}\s*$/.exec(text)?.[1] ?? text.trim()

/** The ZIP code that an address in words ends with, or "". */
export const zipAtEnd = (address: string): string =>
  /(?:^|[\s,])(\d{5})(?:-\d{4})?(?:[\s,]+(?:USA?|United States))?\s*$/i.exec(address)?.[1] ?? ''
