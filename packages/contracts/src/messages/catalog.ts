import { z } from 'zod'
import { command, question } from '#/message.ts'
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
  /** Minutes after the order in which the customer may cancel. */
  customerCancelMinutes: z.int(),
  /** Shown on the customer's card statement. Absent in messages of the previous version. */
  restaurantName: z.string().optional(),
  /** For operators who call the restaurant about the order. Absent in messages of the previous version. */
  restaurantPhone: z.string().optional(),
})
export type Quote = z.infer<typeof Quote>

/**
 * Checks and prices an order. `faults` lists all faults, with pointers into the body of send-order; `quote` is null if there are
 * any.
 */
export const CatalogQuote = question('catalog.quote', {
  data: z.object({
    restaurantApiKey: ApiKey,
    method: Method,
    payment: Payment,
    test: z.boolean(),
    items: z.array(z.object({ apiKey: ApiKey, customizationChoices: z.array(ApiKey) })),
    /** The delivery address. Null if it is unknown; then no zone is searched. */
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
  reply: z.object({
    faults: z.array(FaultShape),
    quote: Quote.nullable(),
    /** Only with faults: the sum of the items, unless an item has a fault. */
    subtotal: Cents.nullish(),
  }),
})

export type QuoteQuestion = z.output<typeof CatalogQuote.data>

/**
 * Completes a client's address from its text or its point. A field of the reply is empty if it cannot be derived. The point is null
 * if the ZIP code is unknown.
 */
export const CatalogCompleteAddress = question('catalog.complete-address', {
  data: z.object({
    streetAddress: z.string(),
    city: z.string().optional(),
    state: z.string().optional(),
    zip: z.string().optional(),
    latitude: z.number().optional(),
    longitude: z.number().optional(),
  }),
  reply: z.object({
    city: z.string(),
    state: z.string(),
    zip: z.string(),
    point: Point.nullable(),
    /** The geocoder is unavailable; a retry may return the missing fields. */
    isUnavailable: z.boolean(),
  }),
})

export type CompletedAddress = z.output<typeof CatalogCompleteAddress.reply>

/**
 * Sets the attendance of restaurants in catalog's rows. Orders publishes each change immediately and all rows regularly, so a lost
 * message is harmless. A row with an older `version` changes nothing.
 */
export const CatalogAttendance = command(
  'catalog.attendance',
  z.object({
    /** The attendance of restaurants without a row, by the default link. Only the regular messages have it. */
    othersAreAttended: z.boolean().optional(),
    rows: z.array(
      z.object({ restaurantApiKey: ApiKey, isAttended: z.boolean(), version: z.int(), since: Epoch }),
    ),
  }),
)
export type CatalogAttendance = z.output<typeof CatalogAttendance.data>

/** Returns the restaurants that have been unattended for `olderThanMs` and are within their opening hours now, newest first. */
export const CatalogUnattended = question('catalog.unattended', {
  // `before` and `limit` are for replicas of the previous version, which read pages.
  data: z.object({ olderThanMs: z.int(), before: z.null(), limit: z.int() }),
  reply: z.object({
    restaurants: z.array(
      z.object({
        restaurantApiKey: ApiKey,
        name: z.string(),
        /** The time at which it had been unattended for `olderThanMs`; microseconds since 1970. */
        at: z.int(),
      }),
    ),
  }),
})
