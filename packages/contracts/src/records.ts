import { z } from 'zod'
import { Refund } from '#/refund.ts'
import {
  ApiKey,
  Epoch,
  Latitude,
  Longitude,
  Method,
  Money,
  OrderStatus,
  Payment,
  PaymentAction,
  PaymentState,
  Point,
} from '#/values.ts'

/*
 * The records of responses (docs/interface.md, "Records"). Names, types and units never change; members are only added. In menus
 * and restaurants a member without a value is absent, because existing clients fail on null there. In users, orders and the
 * address of a search it is null.
 */

export const Address = z
  .object({
    apiKey: ApiKey.nullable().describe(
      'Null when the address is not saved to an account. A new address of an order is saved after the restaurant has the order.',
    ),
    streetAddress: z.string(),
    aptNumber: z.string().nullable(),
    city: z.string(),
    state: z.string(),
    zip: z.string(),
    latitude: Latitude.nullable(),
    longitude: Longitude.nullable(),
  })
  .meta({ id: 'Address', description: 'A place for a delivery or a search.' })
export type Address = z.infer<typeof Address>

/** The only digits of a card number that are stored. */
export const LastFour = z
  .string()
  .regex(/^\d{4}$/)
  .describe('The last four digits of the card number.')

export const CreditCard = z
  .object({
    apiKey: ApiKey,
    nickname: z.string().nullable().describe("The user's name for the card."),
    cardholderName: z.string(),
    cardholderStreetAddress: z.string(),
    cardholderZip: z.string(),
    lastFour: LastFour,
    expirationMonth: z.string().describe('Two digits, `01` to `12`.'),
    expirationYear: z.string().describe('Two digits: `31` is 2031.'),
    brand: z
      .string()
      .describe('`visa`, `mastercard`, `amex`, `discover`, `diners`, `jcb`, `unknown`; there may be more.'),
  })
  .meta({ id: 'CreditCard', description: 'A saved card. Never a card number or a cvv, in any form.' })
export type CreditCard = z.infer<typeof CreditCard>

export const User = z
  .object({
    apiKey: ApiKey,
    email: z.string(),
    firstName: z.string(),
    lastName: z.string(),
    phone: z.string(),
    savedAddresses: z.array(Address).describe('At most 50.'),
    creditCards: z.array(CreditCard).describe('At most 20.'),
  })
  .meta({ id: 'User', description: 'A person with an account. Never a password.' })
export type User = z.infer<typeof User>

export const DeliveryZone = z
  .object({
    apiKey: ApiKey,
    description: z.string().optional(),
    zips: z.array(z.string()).optional().describe('The ZIP codes of the zone.'),
    points: z.array(Point).optional().describe('The corners of a polygonal zone.'),
    holePoints: z.array(Point).optional().describe('The corners of a polygon without delivery.'),
    maxRadius: z.number().optional().describe('Miles around the restaurant.'),
    deliveryMin: Money.describe('The minimum subtotal for delivery.'),
    deliveryPrice: Money.describe('The price of delivery.'),
  })
  .meta({
    id: 'DeliveryZone',
    description: 'Where a restaurant delivers: one of ZIP codes, a polygon and a radius.',
  })
export type DeliveryZone = z.infer<typeof DeliveryZone>

export const Restaurant = z
  .object({
    apiKey: ApiKey,
    name: z.string(),
    logoUrl: z.string().describe('Empty when there is none.'),
    url: z.string().describe("The restaurant's own web page; empty when there is none."),
    streetAddress: z.string(),
    city: z.string(),
    state: z.string(),
    zip: z.string(),
    latitude: Latitude,
    longitude: Longitude,
    phone: z.string(),
    foodTypes: z.array(z.string()),
    deliveryMin: Money.describe(
      'The minimum subtotal for delivery; with a place in the request, for delivery to that place.',
    ),
    deliveryPrice: Money.describe(
      'The price of delivery; with a place in the request, for delivery to that place.',
    ),
    minFreeDelivery: Money.describe('Subtotal from which delivery is free; -1 when it never is.'),
    taxRate: z.number().describe('0.08 is 8 %.'),
    acceptsCash: z.boolean(),
    acceptsCard: z.boolean(),
    offersPickup: z.boolean(),
    offersDelivery: z.boolean().describe('False for a place outside every delivery zone.'),
    isTestRestaurant: z.boolean().describe('Whether it takes test orders only.'),
    customerCancelMinutes: z
      .int()
      .describe(
        'Minutes after an order in which its customer may cancel it, unless the restaurant has begun.',
      ),
    minWaitTime: z.int().describe('Minutes.'),
    maxWaitTime: z.int().describe('Minutes.'),
    open: z.boolean().describe('Whether it takes orders now.'),
    closedReason: z
      .enum(['hours', 'paused', 'unattended', 'hidden'])
      .optional()
      .describe(
        'The reason why it takes no orders; absent when it takes orders. `hours`: outside of its opening hours. `paused`: it has paused. `unattended`: none of its clients is connected, or its system does not respond. `hidden`: an operator has hidden it.',
      ),
    opensAt: Epoch.optional().describe(
      'The time at which it takes orders again, if that is known. Absent while it takes orders.',
    ),
    hours: z
      .record(z.string(), z.array(z.string()))
      .describe(
        "`Monday` to `Sunday`, each with ranges like `11:00 AM - 3:00 AM` in the restaurant's time zone; a range may pass midnight. A day on which it is closed is absent.",
      ),
    timezone: z.string().describe('For example `US/Central`.'),
    zones: z.array(DeliveryZone).optional().describe('In the details only.'),
  })
  .meta({ id: 'Restaurant' })
export type Restaurant = z.infer<typeof Restaurant>

export const CustomizationChoice = z
  .object({
    apiKey: ApiKey,
    name: z.string(),
    price: Money.describe('Added to the price of the item.'),
    count: z.int().describe('The amount that the choice adds to the count of its group.'),
    available: z.boolean(),
  })
  .meta({ id: 'CustomizationChoice' })

export const Customization = z
  .object({
    apiKey: ApiKey,
    name: z.string(),
    type: z
      .string()
      .describe('The kind of choice that the restaurant shows, for example `topping`; may be empty.'),
    customizationChoices: z.array(CustomizationChoice),
  })
  .meta({ id: 'Customization', description: 'Choices to show together.' })

export const CustomizationGroup = z
  .object({
    apiKey: ApiKey,
    name: z.string(),
    minCount: z
      .int()
      .describe('The minimum sum of the counts of the chosen choices. 0: the group is optional.'),
    maxCount: z.int().describe('The maximum sum of the counts of the chosen choices.'),
    basePrice: Money.describe('Added once to the item when a choice of the group is chosen.'),
    customizations: z.array(Customization),
  })
  .meta({ id: 'CustomizationGroup', description: 'Choices for one item with a common minimum and maximum.' })
export type CustomizationGroup = z.infer<typeof CustomizationGroup>

export const MenuItem = z
  .object({
    apiKey: ApiKey,
    name: z.string(),
    description: z.string().optional(),
    basePrice: Money.describe('Before customizations.'),
    available: z.boolean().describe('Whether it can be ordered now.'),
    customizationGroups: z
      .array(CustomizationGroup)
      .optional()
      .describe('Only with `includeCustomizations=true`.'),
  })
  .meta({ id: 'MenuItem' })
export type MenuItem = z.infer<typeof MenuItem>

export const MenuCategory = z
  .object({ apiKey: ApiKey, name: z.string(), description: z.string().optional(), items: z.array(MenuItem) })
  .meta({ id: 'MenuCategory' })
export type MenuCategory = z.infer<typeof MenuCategory>

const OrderItem = z
  .object({
    apiKey: ApiKey.describe('Of the menu item.'),
    name: z.string(),
    comments: z.string().nullable(),
    basePrice: Money.describe('Before customizations.'),
    totalPrice: Money.describe('With customizations.'),
    customizationChoices: z.array(
      z.object({ apiKey: ApiKey, details: z.string().describe('The choice in words.'), price: Money }),
    ),
  })
  .meta({ id: 'OrderItem', description: 'One piece; two of the same item are two elements.' })

export const Cancellation = z
  .object({
    reason: z.string().describe('The code of a problem, for example `order-refused`; there may be more.'),
    message: z.string().describe('Fit to show a person.'),
    cancelledBy: z.enum(['restaurant', 'system', 'operator', 'customer']),
    date: Epoch,
    refund: z.object({ amount: Money.describe('The voided or refunded amount.'), state: PaymentState }),
  })
  .meta({ id: 'Cancellation', description: 'Why an order with a 200 response is not fulfilled.' })
export type Cancellation = z.infer<typeof Cancellation>

export const Recipient = z
  .object({
    firstName: z.string(),
    lastName: z.string(),
    phone: z.string(),
    email: z.string().nullable(),
  })
  .meta({ id: 'Recipient', description: 'Who receives the order.' })
export type Recipient = z.infer<typeof Recipient>

export const Dispute = z
  .object({
    state: z.enum(['OPEN', 'WON', 'LOST']).describe('`LOST`: the customer has the money.'),
    amount: Money,
    reason: z.string().describe("The reason that the customer's bank states."),
    respondBy: Epoch.nullable().describe('The deadline for evidence; null when there is no response.'),
  })
  .meta({ id: 'OrderDispute', description: "The customer has disputed the charge at the customer's bank." })
export type Dispute = z.infer<typeof Dispute>

export const Order = z
  .object({
    apiKey: ApiKey.nullable().describe('Null only in the response of validate-order.'),
    id: z
      .int()
      .nullable()
      .describe('A number for telephone calls. Null only in the response of validate-order.'),
    datePlaced: Epoch.nullable().describe(
      'Unix time in seconds. Null only in the response of validate-order.',
    ),
    method: Method,
    payment: Payment,
    test: z.boolean().describe('A test order is never charged.'),
    restaurantApiKey: ApiKey,
    recipientApiKey: ApiKey.nullable().describe('The user; null for a guest.'),
    recipient: Recipient,
    items: z.array(OrderItem),
    card: CreditCard.extend({
      apiKey: ApiKey.nullable().describe(
        'Null when the card is not saved to an account. A new card is saved after the restaurant has the order.',
      ),
    })
      .meta({
        id: 'OrderCard',
        description:
          'The card that pays. Never a card number or a cvv. Null for cash, and for a `processorToken` that is not charged: the card behind it is unknown.',
      })
      .nullable(),
    address: Address.nullable().describe('The delivery address; null for pickup.'),
    comments: z.string().nullable(),
    subtotal: Money.describe("Sum of the items' `totalPrice`."),
    tax: Money.describe('`subtotal` × `taxRate`, rounded half up to a cent.'),
    tip: Money.describe('For the driver.'),
    deliveryPrice: Money.describe('0 for pickup, and for a subtotal of at least `minFreeDelivery`.'),
    total: Money.describe('`subtotal` + `tax` + `deliveryPrice` + `tip`.'),
    status: OrderStatus,
    paymentState: PaymentState,
    cancellation: Cancellation.nullable().describe('Null unless the order was cancelled.'),
    paymentAction: PaymentAction.optional().describe(
      'Present only while the bank waits for the customer, for the application that sent the order.',
    ),
    refunds: z.array(Refund).describe('Oldest first. A cancellation has its refund in `cancellation`.'),
    refundedTotal: Money.describe(
      'The total amount refunded to the customer, cancellations included, without the amount of a lost dispute.',
    ),
    dispute: Dispute.nullable().describe('Null unless the charge was disputed.'),
  })
  .meta({ id: 'Order' })
export type Order = z.infer<typeof Order>

export const OrderStatusRecord = z
  .object({ orderApiKey: ApiKey, status: OrderStatus, date: Epoch })
  .meta({ id: 'OrderStatus', description: 'One step of an order.' })
export type OrderStatusRecord = z.infer<typeof OrderStatusRecord>
