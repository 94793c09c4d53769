import { z } from 'zod'
import { question } from '#/message.ts'
import type { Fault } from '#/problems.ts'
import { ApiKey, Cents, Method, Payment, Point } from '#/values.ts'
import { FaultShape } from '#/problem-document.ts'

/** Prices of one order, in cents. */
export const Quote = z.object({
  items: z.array(
    z.object({
      apiKey: ApiKey,
      name: z.string(),
      basePrice: Cents,
      totalPrice: Cents,
      customizationChoices: z.array(z.object({ apiKey: ApiKey, details: z.string(), price: Cents })),
    }),
  ),
  subtotal: Cents,
  tax: Cents,
  /** 0 for pickup, and from the restaurant's minFreeDelivery up. */
  deliveryPrice: Cents,
  /** Where the address is on the map; null for pickup. */
  point: Point.nullable(),
})
export type Quote = z.infer<typeof Quote>

/**
 * May this be ordered, and for how much? Read only. All faults at once, their pointers into the body of
 * send-order; the quote is null when there is any.
 */
export const CatalogQuote = question('catalog.quote', 'catalog', {
  data: z.object({
    restaurantApiKey: ApiKey,
    method: Method,
    payment: Payment,
    test: z.boolean(),
    items: z.array(z.object({ apiKey: ApiKey, customizationChoices: z.array(ApiKey) })),
    /** For delivery; null when it is not known, then no zone is looked for. */
    address: z
      .object({
        streetAddress: z.string(),
        city: z.string(),
        state: z.string(),
        zip: z.string(),
        latitude: z.number().nullable(),
        longitude: z.number().nullable(),
      })
      .nullable(),
  }),
  answer: z.object({
    faults: z.array(FaultShape),
    quote: Quote.nullable(),
    /** With faults: what the items cost together, unless one of them is at fault. Absent from older replicas. */
    subtotal: Cents.nullish(),
  }),
})

/**
 * Completes an address that a client gave, from its text or its point. Read only. A field of the answer is empty when it
 * cannot be told; the point is null when the ZIP code is not known.
 */
export const CatalogCompleteAddress = question('catalog.complete-address', 'catalog', {
  data: z.object({
    streetAddress: z.string(),
    city: z.string().optional(),
    state: z.string().optional(),
    zip: z.string().optional(),
    latitude: z.number().optional(),
    longitude: z.number().optional(),
  }),
  answer: z.object({
    city: z.string(),
    state: z.string(),
    zip: z.string(),
    point: Point.nullable(),
    /** The geocoder did not answer: what is missing may be told later. */
    isUnavailable: z.boolean(),
  }),
})

/** Where the fields of an address are that lacks some of them. */
export type CompletedAddress = z.output<typeof CatalogCompleteAddress.answer>

/** What is still missing of a completed address, as faults; `pointer` is where the address is in the body. */
export const missingOf = (
  address: Pick<CompletedAddress, 'city' | 'state' | 'zip'>,
  pointer: string,
): Fault[] =>
  (['city', 'state', 'zip'] as const)
    .filter((field) => address[field] === '')
    .map((field) => ({
      pointer: `${pointer}/${field}`,
      code: 'missing-field',
      detail: `${field} is missing and cannot be derived from the rest of the address.`,
    }))
