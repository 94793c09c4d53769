import type { Point } from '@platter/contracts'

/** The place of a customer. An unknown field is "". */
export type Place = { point: Point; streetAddress: string; city: string; state: string; zip: string }

/** Returns the five digits of a ZIP code or ZIP+4, and any other text unchanged. */
export const zipOf = (text: string): string => /^\s*(\d{5})-?\d{4}\s*$/.exec(text)?.[1] ?? text.trim()

/** Returns the ZIP code at the end of an address, or "". */
export const zipAtEnd = (address: string): string =>
  /(?:^|[\s,])(\d{5})(?:-?\d{4})?(?:[\s,]+(?:USA?|United States))?\s*$/i.exec(address)?.[1] ?? ''
