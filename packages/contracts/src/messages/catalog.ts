import { z } from 'zod'
import { command, question } from '#/message.ts'
import type { Fault } from '#/problems.ts'
import { Before } from '#/internal/unknown-payments.ts'
import { ApiKey, Cents, Epoch, Method, Payment, Point } from '#/values.ts'
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
  /** 0 for pickup, and for a subtotal of at least `minFreeDelivery`. */
  deliveryPrice: Cents,
  /** The position of the address; null for pickup. */
  point: Point.nullable(),
  /** Minutes in which the customer may cancel. */
  customerCancelMinutes: z.int(),
  /** Appears on the customer's statement. Absent from replicas of an older version. */
  restaurantName: z.string().optional(),
})
export type Quote = z.infer<typeof Quote>

/** The check and the prices of an order. `faults` has all of them, with pointers into the body of send-order; `quote` is null then. */
export const CatalogQuote = question('catalog.quote', 'catalog', {
  data: z.object({
    restaurantApiKey: ApiKey,
    method: Method,
    payment: Payment,
    test: z.boolean(),
    items: z.array(z.object({ apiKey: ApiKey, customizationChoices: z.array(ApiKey) })),
    /** For delivery; null when it is unknown, and no zone is searched then. */
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
    /** With faults only: the sum of the items, unless an item has a fault. */
    subtotal: Cents.nullish(),
  }),
})

export type QuoteQuestion = z.output<typeof CatalogQuote.data>

/**
 * Completes an address of a client from its text or its point. A field of the reply is empty when it cannot be derived; the point
 * is null when the ZIP code is unknown.
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
    /** The geocoder is unavailable: a later question may have the missing fields. */
    isUnavailable: z.boolean(),
  }),
})

export type CompletedAddress = z.output<typeof CatalogCompleteAddress.answer>

/** A fault for each field that a completed address still lacks. `pointer` is that of the address in the body. */
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

/**
 * Which restaurants are attended, for the row of each in catalog. Orders publishes changes at once and all rows regularly, so that
 * a lost message is corrected. A row with an older `version` changes nothing.
 */
export const CatalogAttendance = command(
  'catalog.attendance',
  'catalog',
  z.object({
    /** For restaurants without a row: the attendance that the default link gives them. Only with the regular messages. */
    othersAreAttended: z.boolean().optional(),
    rows: z.array(
      z.object({ restaurantApiKey: ApiKey, isAttended: z.boolean(), version: z.int(), since: Epoch }),
    ),
  }),
)
export type CatalogAttendance = z.output<typeof CatalogAttendance.data>

/** Restaurants that were unattended for `olderThanMs` and are within their opening hours now, newest first. */
export const CatalogUnattended = question('catalog.unattended', 'catalog', {
  data: z.object({ olderThanMs: z.int(), before: Before.nullable(), limit: z.int() }),
  answer: z.object({
    restaurants: z.array(
      z.object({
        restaurantApiKey: ApiKey,
        name: z.string(),
        /** When it had been unattended for `olderThanMs`; epoch, microseconds. */
        at: z.int(),
      }),
    ),
  }),
})
