import { z } from 'zod'
import { NewAddress, NewCard, savedOrNew } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { Order } from '#/records.ts'
import { shownAs } from '#/shown-as.ts'
import { spelled } from '#/spelling.ts'
import { ApiKey, filledDigits, filledText, Method, Payment, text } from '#/values.ts'

/** One of a kind; two of the same item are two elements (docs/specification.md, "Order requests"). */
const SelectedItem = z
  .object({
    apiKey: ApiKey.describe('Of the menu item.'),
    comments: text(500).optional().describe('For the kitchen, about this item.'),
    customizationChoices: z
      .array(z.object({ apiKey: ApiKey.describe('Of the customization choice.') }))
      .max(50, 'has more than 50 choices')
      .default([])
      .describe('What is chosen of the customization groups of the item. At most 50.'),
  })
  .meta({ id: 'SelectedItem', description: 'One piece; two of the same item are two elements.' })

const personFields = {
  firstName: filledText(100),
  lastName: filledText(100),
  phone: filledDigits(30),
}

const guest = { ...personFields, email: text(200).optional() }
const existing = {
  apiKey: ApiKey.describe('Of the user.'),
  firstName: personFields.firstName.optional(),
  lastName: personFields.lastName.optional(),
  phone: personFields.phone.optional(),
}
const ExistingRecipient = z.object(existing).meta({
  id: 'ExistingRecipient',
  description: 'A user; what else is given takes the place of what the account says, for this order.',
})
const GuestRecipient = z
  .object(guest)
  .meta({ id: 'GuestRecipient', description: 'Somebody without an account.' })

/** An existing user, some values overridden, or a guest, who has to say name and phone. */
const OrderRecipient = shownAs(
  spelled('record', z.union([ExistingRecipient, GuestRecipient])).describe(
    'Who receives the order: a user, or a guest.',
  ),
  z.preprocess(
    (value) => {
      const given = value ?? {}
      if (typeof given !== 'object' || Array.isArray(given)) return given
      return { ...given, guest: (given as { apiKey?: unknown }).apiKey === undefined }
    },
    z.discriminatedUnion('guest', [
      z.object({ guest: z.literal(true), ...guest }),
      z.object({ guest: z.literal(false), ...existing }),
    ]),
  ),
)

/** A card is of use only when payment is by card, an address only for a delivery: otherwise they are not even looked at. */
function withoutWhatIsNotUsed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const { card, address, ...rest } = value as Record<string, unknown>
  return {
    ...rest,
    ...(rest['payment'] === 'card' && { card }),
    ...(rest['method'] === 'delivery' && { address }),
  }
}

const body = z.object({
  restaurantApiKey: ApiKey.describe('Of the restaurant that receives the order.'),
  items: z.array(SelectedItem).min(1, 'has no item').max(100, 'has more than 100 items'),
  method: Method,
  payment: Payment,
  test: z
    .boolean()
    .default(false)
    .describe(
      'A test order: never charged, and for test restaurants only. With a test key every order is one, whatever this says.',
    ),
  // Its bounds are a rule of the order, see `tipFault`.
  tip: z
    .number()
    .default(0)
    .describe(
      "For the driver or the staff, in the restaurant's currency, at most two decimals. At most the larger of 50.00 and the subtotal.",
    ),
  comments: text(500).optional().describe('Instructions for preparation or delivery.'),
  card: savedOrNew(NewCard)
    .optional()
    .describe(
      "The card that pays: a saved one, or a new one, which is then saved to the recipient's account, unless the same card is there already or the account has its 20 cards. Needed, and looked at, for `card` payment only.",
    ),
  address: savedOrNew(NewAddress)
    .optional()
    .describe(
      "Where to deliver: a saved address, or a new one, which is then saved to the recipient's account, unless the same address is there already or the account has its 50 addresses. Needed, and looked at, for `delivery` only.",
    ),
  recipient: OrderRecipient,
})

/** Body of send-order and validate-order (docs/specification.md, "Order requests"). Unknown fields are ignored. */
export const OrderRequest = z
  .preprocess(
    withoutWhatIsNotUsed,
    body.superRefine((order, context) => {
      const missing = (field: string) =>
        context.addIssue({ code: 'custom', path: [field], message: 'is missing', params: { missing: true } })
      if (order.payment === 'card' && order.card === undefined) missing('card')
      if (order.method === 'delivery' && order.address === undefined) missing('address')
    }),
  )
  .meta({ id: 'OrderRequest' })
export type OrderRequest = z.output<typeof OrderRequest>

/** What is wrong with an order, apart from its shape; the same for validate-order. */
export const orderProblems = [
  'malformed-json',
  'not-json',
  'body-too-large',
  'restaurant-not-found',
  'item-not-found',
  'user-not-found',
  'card-not-found',
  'address-not-found',
  'card-expired',
  'restaurant-closed',
  'item-unavailable',
  'customization-required',
  'customization-limit',
  'customization-unknown',
  'below-delivery-minimum',
  'address-undeliverable',
  'address-not-found-on-map',
  'method-not-offered',
  'payment-not-accepted',
  'not-a-test-restaurant',
  'test-restaurant-only',
  'test-key',
  'tip-out-of-range',
  'below-card-minimum',
  'total-too-large',
] as const

/** docs/specification.md, "Endpoints": validates the input, charges the card when payment is by card, transmits the order to the restaurant. */
export const SendOrder = operation({
  name: 'send-order',
  summary: 'Send an order',
  method: 'POST',
  path: '/publicapi/v1/send-order',
  owner: 'orders',
  admission: 'order',
  body: OrderRequest,
  response: Order,
  problems: [
    ...orderProblems,
    'card-declined',
    'cvc-failed',
    'order-refused',
    'restaurant-unreachable',
    'payment-not-possible',
    'payment-unavailable',
  ],
})
