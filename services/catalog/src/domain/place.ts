import type { Point } from '@platter/contracts'

/** The place of a customer. An unknown field is "". */
export type Place = { point: Point } & Record<'streetAddress' | 'city' | 'state' | 'zip', string>
export const NO_TEXTS: Omit<Place, 'point'> = { streetAddress: '', city: '', state: '', zip: '' }

/** The detail of the problem address-not-found-on-map. */
export const NOT_ON_MAP = 'The address was not found on the map. Check its city, state and ZIP code.'

const ZIP_AT_END = /(?:^|[\s,])(\d{5})[\s\p{Pd}]*(?:\d{4})?(?:[\s,]+(?:USA?|United States))?\s*$/iu

/** Returns the five digits of the ZIP code or ZIP+4 at the end of an address, or "". NFKC converts full-width digits. */
export const zipAtEnd = (address: string): string => ZIP_AT_END.exec(address.normalize('NFKC'))?.[1] ?? ''

/**
 * Returns the five digits of a ZIP code field, and any other text trimmed. Zones and the geocoder must read a ZIP code equally:
 * otherwise an address is located, but the terms of its zone do not apply.
 */
export const zipOf = (text: string): string => zipAtEnd(text) || text.trim()
