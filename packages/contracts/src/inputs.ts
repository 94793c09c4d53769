import { z } from 'zod'
import { isCardNumber } from '#/card-issuers.ts'
import { findCardNumbers } from '#/card-number.ts'
import { keys } from '#/examples.ts'
import { secret } from '#/secret.ts'
import { documentedAs } from '#/documented-as.ts'
import { spelled } from '#/spelling.ts'
import { ApiKey, filledDigits, filledText, Latitude, Longitude, text, zipCode } from '#/values.ts'

export const personFields = {
  firstName: filledText(100),
  lastName: filledText(100),
  phone: filledDigits(30),
}

/** The fields of a new card besides its number, cvv and expiry, or its token. */
const cardholderFields = {
  nickname: text(100).optional().describe("The user's name for the card."),
  cardholderName: filledText(100).describe('As printed on the card.'),
  cardholderStreetAddress: filledText(200),
  cardholderZip: zipCode(),
}

const cardNumberFields = {
  cvv: secret(spelled('cvv', z.string().regex(/^\d{3,4}$/, 'is not 3 or 4 digits')))
    .optional()
    .describe('Card verification value. Required with `cardNumber`. Never stored.'),
  cardNumber: secret(
    spelled('card-number', z.string().refine(isCardNumber, 'is not a card number')),
    (digits) => digits.slice(-4),
  )
    .optional()
    .meta({
      description: '12 to 19 digits without separators. Required without `processorToken`. Never stored.',
      pattern: String.raw`^\d{12,19}$`,
    }),
  expirationMonth: spelled('month', z.string().regex(/^(0[1-9]|1[0-2])$/, 'is not a month of two digits'))
    .optional()
    .describe('Two digits, `01` to `12`. Required with `cardNumber`.'),
  expirationYear: spelled('year', z.string().regex(/^\d{2}$/, 'is not a year of two digits'))
    .optional()
    .describe('Two digits: `31` is 2031. Required with `cardNumber`.'),
  processorToken: secret(
    z
      .string()
      .regex(/^[!-~]{1,255}$/, 'is not 1 to 255 printable ASCII characters')
      .refine((token) => findCardNumbers(token).length === 0, 'contains a card number'),
    (token) => token,
  )
    .optional()
    .meta({
      description:
        'The token or payment method that the client created at the payment processor, instead of `cardNumber` and `cvv`. It can be used once. See payment-methods.',
      pattern: '^[!-~]{1,255}$',
    }),
}

const NUMBER_FIELDS = ['cardNumber', 'cvv', 'expirationMonth', 'expirationYear'] as const

/** The option of a check between fields: it runs even if a field is invalid, so that one response names all faults. */
export const DESPITE_FAULTS = {
  when: ({ value }: { value: unknown }) => typeof value === 'object' && value !== null,
}

/** Without a token all fields of the card number are required. With a token, number and cvv are rejected. */
function checkForm(card: Partial<Record<keyof typeof cardNumberFields, unknown>>, context: z.RefinementCtx) {
  const isByToken = card.processorToken !== undefined
  for (const field of NUMBER_FIELDS) {
    const isSent = card[field] !== undefined
    const message =
      field === 'cardNumber' ? 'is missing: send a cardNumber or a processorToken' : 'is missing'
    if (!isByToken && !isSent)
      context.addIssue({ code: 'custom', path: [field], message, params: { missing: true } })
    if (isByToken && isSent && (field === 'cardNumber' || field === 'cvv'))
      context.addIssue({ code: 'custom', path: [field], message: 'cannot be sent with processorToken' })
  }
}

/** The add-card fields (docs/specification.md, "Cards, addresses and user updates"); also a new card inside an order. */
export const NewCard = z
  .object({ ...cardholderFields, ...cardNumberFields })
  .superRefine(checkForm, DESPITE_FAULTS)
  .meta({
    id: 'NewCard',
    description: 'A card to add: its number, cvv and expiry, or a token of the payment processor.',
  })
export type NewCard = z.output<typeof NewCard>

/** Returns a new card as JSON for payments. Only this function reveals the number, the cvv and the token. */
export const revealedCard = ({ cvv, cardNumber, processorToken, ...holder }: NewCard) => ({
  ...holder,
  ...(cvv && { cvv: cvv.reveal() }),
  ...(cardNumber && { cardNumber: cardNumber.reveal() }),
  ...(processorToken && { processorToken: processorToken.reveal() }),
})

/** The add-address fields (docs/specification.md, "Cards, addresses and user updates"); also a new address inside an order. */
export const NewAddress = z
  .object({
    streetAddress: filledText(200),
    aptNumber: spelled('digits', text(50)).optional().describe('Apartment, floor or suite.'),
    city: filledText(100).optional().describe('Without it, derived from the other fields.'),
    state: filledText(50).optional().describe('Without it, derived from the other fields.'),
    zip: zipCode().optional().describe('Without it, derived from the other fields.'),
    latitude: Latitude.optional().describe(
      'Without `zip`, determines the position and the missing fields, together with `longitude`.',
    ),
    longitude: Longitude.optional(),
  })
  .meta({
    id: 'NewAddress',
    description:
      'An address to add. A missing `city`, `state` or `zip` is derived from the text or the point. One that cannot be derived is a missing field.',
  })
export type NewAddress = z.output<typeof NewAddress>

export const notSaved = { saved: z.literal(false) }

const Saved = z
  .object({ apiKey: ApiKey })
  .meta({ id: 'Saved', description: 'A saved record, by its apiKey.' })

/**
 * A saved record by its apiKey, or the fields of a new one (docs/specification.md, "Order requests"). The parsed value has
 * `saved` as its discriminator, which clients do not send: `fresh` is `documented` with `notSaved`.
 */
export const savedOrNew = <N extends z.ZodObject<typeof notSaved>>(documented: z.ZodObject, fresh: N) =>
  documentedAs(
    spelled('record', z.union([Saved, documented])),
    z.preprocess(
      (value) => {
        if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
        return { ...value, saved: (value as { apiKey?: unknown }).apiKey !== undefined }
      },
      z.discriminatedUnion('saved', [z.object({ saved: z.literal(true), apiKey: ApiKey }), fresh]),
    ),
  )

/** The place of the customer: an address as text, or a point with latitude and longitude. */
export const PlaceQuery = z.object({
  'street-address': text(300)
    .optional()
    .describe('The place in words: an address, or a ZIP code, or a city and state.'),
  latitude: Latitude.optional().describe(
    'The place as a point, in degrees north; together with `longitude`. It takes precedence over `street-address`.',
  ),
  longitude: Longitude.optional().describe(
    'The place as a point, in degrees east; together with `latitude`.',
  ),
})
export type PlaceQuery = z.output<typeof PlaceQuery>

/** A time in a query: Unix seconds up to the year 2286. The limit rejects times in milliseconds. */
export const Moment = z.int().min(0).max(9_999_999_999)

export const pageCursor = (maxLength = 200) =>
  z
    .string()
    .max(maxLength)
    .optional()
    .describe('Where the page begins: from the `Link` header of the previous page.')

/** The query of a list, newest first. */
export const PageQuery = z.object({
  limit: z.int().min(1).max(200).default(100).describe('The maximum number of records.'),
  cursor: pageCursor(),
})

/** An identifier in a path, with its description and example. */
const inPath = (description: string, example: string) => ApiKey.meta({ description, example })
const apiKeyOf = (record: string, example: string) => inPath(`apiKey of the ${record}.`, example)

export const RestaurantInPath = z.object({ apiKey: apiKeyOf('restaurant', keys.restaurant) })
export const ItemInPath = z.object({ apiKey: apiKeyOf('menu item', keys.garlicKnots) })
export const ChoiceInPath = z.object({ apiKey: apiKeyOf('customization choice', keys.marinara) })
export const UserInPath = z.object({ apiKey: apiKeyOf('user', keys.user) })
export const CardInPath = UserInPath.extend({ cardApiKey: apiKeyOf('card', keys.card) })
export const AddressInPath = UserInPath.extend({ addressApiKey: apiKeyOf('address', keys.address) })
export const OrderInPath = z.object({ apiKey: apiKeyOf('order', keys.order) })
export const ApplicationInPath = z.object({ id: inPath('id of the client application.', keys.application) })
export const AccessKeyInPath = z.object({ id: inPath('id of the access key.', keys.accessKey) })

/** The position of an event stream, for clients that cannot send the header `Last-Event-ID`. The header takes precedence. */
export const LastEvent = z.object({
  lastEventId: z
    .string()
    .max(100)
    .optional()
    .describe('The same as the header `Last-Event-ID`, for clients that cannot send it.'),
})

/** The query of an operation that can respond without an effect. */
export const validateOnly = (description: string) =>
  z.object({ 'validate-only': z.boolean().default(false).describe(description) })

/** For the operations that replace a whole record. */
export const ValidateOnly = validateOnly('Only validates: the response is the same, and nothing is stored.')

/** A body whose fields are all optional may be absent. */
export const optionalBody = <S extends z.ZodType>(body: S) => z.preprocess((value) => value ?? {}, body)
