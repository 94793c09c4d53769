import { z } from 'zod'
import { guest, keys, newAddress, newCard, pickupOrder, tokenCard } from '#/examples.ts'
import { DESPITE_FAULTS, NewAddress, NewCard, notSaved, personFields, savedOrNew } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { Order } from '#/records.ts'
import { documentedAs } from '#/documented-as.ts'
import { spelled } from '#/spelling.ts'
import { ApiKey, Method, Money, Payment, text } from '#/values.ts'

const SelectedItem = z
  .object({
    apiKey: ApiKey.describe('Of the menu item.'),
    comments: text(500).optional().describe('For the kitchen.'),
    customizationChoices: z
      .array(z.object({ apiKey: ApiKey.describe('Of the customization choice.') }))
      .max(50, 'has more than 50 choices')
      .default([])
      .describe('The choices from the customization groups of the item. At most 50.'),
  })
  .meta({ id: 'SelectedItem', description: 'One piece; two of the same item are two elements.' })

const guestFields = { ...personFields, email: text(200).optional() }
const userFields = {
  apiKey: ApiKey.describe('Of the user.'),
  ...z.object(personFields).partial().shape,
}
const ExistingRecipient = z.object(userFields).meta({
  id: 'ExistingRecipient',
  description: 'A user. The other fields replace those of the account for this order.',
})
const GuestRecipient = z
  .object(guestFields)
  .meta({ id: 'GuestRecipient', description: 'A person without an account.' })

/** A user with optional overrides, or a guest with name and phone. */
const OrderRecipient = documentedAs(
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
      z.object({ guest: z.literal(true), ...guestFields }),
      z.object({ guest: z.literal(false), ...userFields }),
    ]),
  ),
)

/** Removes the card of an order that is not paid by card, and the address of a pickup, so that neither is validated. */
function withoutUnusedFields(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const { card, address, ...rest } = value as Record<string, unknown>
  return {
    ...rest,
    ...(rest['payment'] === 'card' && { card }),
    ...(rest['method'] === 'delivery' && { address }),
  }
}

/** A page of the bank redirects the browser to this URL. Schemes that execute or open content in the browser are rejected. */
const RETURN_PROTOCOL =
  /^(?!(?:http|javascript|data|vbscript|file|blob|about|filesystem|view-source|ws|wss|ftp)$)[a-z][a-z0-9+.-]*$/

const body = z.object({
  restaurantApiKey: ApiKey.describe('Of the restaurant that receives the order.'),
  items: z.array(SelectedItem).min(1, 'has no item').max(100, 'has more than 100 items'),
  method: Method,
  payment: Payment,
  test: z
    .boolean()
    .default(false)
    .describe(
      'A test order: never charged, and for test restaurants only. With a test key every order is a test order.',
    ),
  // `checkTip` in orders checks the bounds, which depend on the subtotal.
  tip: z
    .number()
    .default(0)
    .describe(
      "For the driver or the staff, in the restaurant's currency, at most two decimals. At most the larger of 50.00 and the subtotal.",
    ),
  comments: text(500).optional().describe('Instructions for preparation or delivery.'),
  card: savedOrNew(NewCard, NewCard.safeExtend(notSaved))
    .optional()
    .describe(
      "The card that pays: a saved one, or a new one by its number or `processorToken`. A new card is saved to the recipient's account, unless the account has the same card or 20 cards already. Required for `card` payment, otherwise ignored.",
    ),
  address: savedOrNew(NewAddress, NewAddress.safeExtend(notSaved))
    .optional()
    .describe(
      "Where to deliver: a saved address or a new one. A new address is saved to the recipient's account, unless the account has the same address or 50 addresses already. Required for `delivery`, otherwise ignored.",
    ),
  recipient: OrderRecipient,
  canAuthenticate: z
    .boolean()
    .optional()
    .describe(
      'The client can redirect its customer to the bank. If the bank requires authentication, the order has a `paymentAction`. Without this field, such a card is declined.',
    ),
  returnUrl: z
    .url({
      protocol: RETURN_PROTOCOL,
      error: "is not an https URL or one with the application's own scheme",
    })
    .max(500)
    .regex(/^[!-~]*$/, 'has characters that a URL cannot have')
    .optional()
    .describe(
      "Where the bank sends the customer afterwards: an https URL, or one with the application's own scheme. At most 500 characters.",
    ),
  expectedTotal: Money.optional().describe(
    'The total that the customer has seen, for example that of validate-order. With another total the order is refused with `price-changed`, and nothing is stored or charged.',
  ),
})

/** Body of send-order and validate-order (docs/specification.md, "Order requests"). Unknown fields are ignored. */
export const OrderRequest = z
  .preprocess(
    withoutUnusedFields,
    body.superRefine((order, context) => {
      const missing = (field: string) =>
        context.addIssue({ code: 'custom', path: [field], message: 'is missing', params: { missing: true } })
      if (order.payment === 'card' && order.card === undefined) missing('card')
      if (order.method === 'delivery' && order.address === undefined) missing('address')
    }, DESPITE_FAULTS),
  )
  .meta({ id: 'OrderRequest' })
export type OrderRequest = z.output<typeof OrderRequest>

/** The problems of an order request in send-order and validate-order. */
export const orderProblems = [
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
  'price-changed',
] as const

const pickup = {
  restaurantApiKey: keys.restaurant,
  items: [
    { apiKey: keys.cheeseSlice },
    {
      apiKey: keys.garlicKnots,
      comments: 'well done, please',
      customizationChoices: [{ apiKey: keys.marinara }],
    },
  ],
  method: 'pickup',
  payment: 'cash',
  recipient: guest,
}

const delivery = {
  restaurantApiKey: keys.restaurant,
  items: [
    {
      apiKey: keys.margherita,
      customizationChoices: [{ apiKey: keys.medium }, { apiKey: keys.handStretched }],
    },
    { apiKey: keys.cheeseSlice },
  ],
  method: 'delivery',
  payment: 'card',
  tip: 3,
  comments: 'Ring twice.',
}

export const SendOrder = operation({
  name: 'send-order',
  summary: 'Send an order',
  description: `Checks the order, charges the card for payment by card, and transmits the order to the restaurant.

The response is a 200 as soon as the restaurant has the order: \`status\` is \`AWAITING_PREPARATION\`. When the outcome is unknown after some seconds, the response is also a 200, with \`status\` \`PROCESSING\`: read the order again until its status changes or it has a \`cancellation\`. Any other response means that there is no order and no charge.

Send an \`Idempotency-Key\`. An order whose response was lost can then be sent again without placing it twice.`,
  method: 'POST',
  path: '/publicapi/v1/send-order',
  owner: 'orders',
  admission: 'order',
  // Other operations have this parameter. Ignored here, it would place an order that its client only wanted to check.
  query: z.object({
    'validate-only': z
      .boolean()
      .refine((isOnly) => !isOnly, 'is not possible here: validate-order checks an order')
      .optional()
      .describe('`true` is refused, and no order is placed: validate-order checks an order.'),
  }),
  body: OrderRequest,
  response: Order,
  returns: 'The placed order.',
  examples: {
    bodies: {
      'Pickup, cash, a guest': pickup,
      'Delivery, a new card, a guest': { ...delivery, card: newCard, address: newAddress, recipient: guest },
      'Delivery, a token of the payment processor, a guest': {
        ...delivery,
        card: tokenCard,
        address: newAddress,
        recipient: guest,
      },
      'Delivery, a saved card and address, a user': {
        ...delivery,
        card: { apiKey: keys.card },
        address: { apiKey: keys.address },
        recipient: { apiKey: keys.user, phone: '608-555-0177' },
      },
      'A test order': {
        restaurantApiKey: keys.testRestaurant,
        items: [{ apiKey: keys.tomatoSoup }, { apiKey: keys.tomatoSoup }],
        method: 'pickup',
        payment: 'card',
        test: true,
        card: newCard,
        recipient: guest,
      },
      'Only for the total that the customer has seen': { ...pickup, expectedTotal: pickupOrder.total },
    },
    response: pickupOrder,
  },
  problems: [
    ...orderProblems,
    'card-declined',
    'cvc-failed',
    'order-refused',
    'order-cancelled',
    'restaurant-unreachable',
    'payment-not-possible',
    'payment-unavailable',
  ],
})
