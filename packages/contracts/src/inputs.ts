import { z } from 'zod'
import { isCardNumber } from '#/card-issuers.ts'
import { secret } from '#/secret.ts'
import { shownAs } from '#/shown-as.ts'
import { spelled } from '#/spelling.ts'
import { ApiKey, filledDigits, filledText, Latitude, Longitude, text } from '#/values.ts'

/** The add-card fields (docs/specification.md, "Cards, addresses and user updates"); also a new card inside an order. */
export const NewCard = z
  .object({
    nickname: text(100).optional().describe('What the user calls the card.'),
    cardholderName: filledText(100).describe('As printed on the card.'),
    cardholderStreetAddress: filledText(200),
    cardholderZip: filledDigits(20),
    cvv: secret(spelled('digits', z.string().regex(/^\d{3,4}$/, 'is not 3 or 4 digits'))).describe(
      'Card verification value. Never stored.',
    ),
    cardNumber: secret(
      spelled('card-number', z.string().refine(isCardNumber, 'is not a card number')),
      (digits) => digits.slice(-4),
    ).meta({
      description: '12 to 19 digits, nothing between them. Never stored.',
      pattern: String.raw`^\d{12,19}$`,
    }),
    expirationMonth: spelled(
      'month',
      z.string().regex(/^(0[1-9]|1[0-2])$/, 'is not a month of two digits'),
    ).describe('Two digits, `01` to `12`.'),
    expirationYear: spelled('year', z.string().regex(/^\d{2}$/, 'is not a year of two digits')).describe(
      'Two digits: `31` is 2031.',
    ),
  })
  .meta({ id: 'NewCard', description: 'A card to add.' })
export type NewCard = z.output<typeof NewCard>

/** The add-address fields (docs/specification.md, "Cards, addresses and user updates"); also a new address inside an order. */
export const NewAddress = z
  .object({
    streetAddress: filledText(200),
    aptNumber: spelled('digits', text(50)).optional().describe('Apartment, floor or suite.'),
    city: filledText(100).optional().describe('Without it, what the other fields tell.'),
    state: filledText(50).optional().describe('Without it, what the other fields tell.'),
    zip: filledDigits(20).optional().describe('Without it, what the other fields tell.'),
    latitude: Latitude.optional().describe('Tells city, state and ZIP code, together with `longitude`.'),
    longitude: Longitude.optional(),
  })
  .meta({
    id: 'NewAddress',
    description:
      'An address to add. What is missing of `city`, `state` and `zip` is completed from the text or the point; what cannot be completed is a missing field.',
  })
export type NewAddress = z.output<typeof NewAddress>

const Saved = z
  .object({ apiKey: ApiKey })
  .meta({ id: 'Saved', description: 'Something that is saved, by its key.' })

/**
 * A saved record by its apiKey, or the fields of a new one (docs/specification.md, "Order requests").
 * `saved` tells them apart afterwards; a client does not send it.
 */
export const savedOrNew = <S extends z.ZodRawShape>(fresh: z.ZodObject<S>) =>
  shownAs(
    spelled('record', z.union([Saved, fresh])),
    z.preprocess(
      (value) => {
        if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
        return { ...value, saved: (value as { apiKey?: unknown }).apiKey !== undefined }
      },
      z.discriminatedUnion('saved', [
        z.object({ saved: z.literal(true), apiKey: ApiKey }),
        z.object({ ...fresh.shape, saved: z.literal(false) }),
      ]),
    ),
  )

/** Where the customer is, as the query tells it: an address in words, or a point (both numbers or neither). */
export const Whereabouts = z.object({
  'street-address': text(300)
    .optional()
    .describe('The place in words: an address, or a ZIP code, or a city and state.'),
  latitude: z
    .number()
    .min(-90)
    .max(90)
    .optional()
    .describe('The place as a point, in degrees north; together with `longitude`.'),
  longitude: z
    .number()
    .min(-180)
    .max(180)
    .optional()
    .describe('The place as a point, in degrees east; together with `latitude`.'),
})
export type Whereabouts = z.output<typeof Whereabouts>

/** A page of a list: newest first, `cursor` from the `Link` header of the page before. */
export const Page = z.object({
  limit: z.int().min(1).max(200).default(100).describe('How many at most.'),
  cursor: z
    .string()
    .max(200)
    .optional()
    .describe('Where to go on: from the `Link` header of the page before.'),
})
export type Page = z.output<typeof Page>

export const KeyInPath = z.object({ apiKey: ApiKey })

/** Where a stream of events goes on: for clients that cannot send the header `Last-Event-ID`, which counts more. */
export const LastEvent = z.object({
  lastEventId: z
    .string()
    .max(100)
    .optional()
    .describe('The same as the header `Last-Event-ID`, for clients that cannot send it.'),
})

/** For what replaces something as a whole. */
export const ValidateOnly = z.object({
  'validate-only': z
    .boolean()
    .default(false)
    .describe('Only checks: the answer is what it would be, and nothing is stored.'),
})
