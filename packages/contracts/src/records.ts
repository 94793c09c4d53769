import { z } from 'zod'
import {
  ApiKey,
  Epoch,
  Latitude,
  Longitude,
  Method,
  Money,
  OrderStatus,
  Payment,
  PaymentState,
} from './values.ts'

/** What the interface answers with (interface.md, "Records"). Names, types and units are binding; we only ever add. */

export const Address = z
  .object({
    apiKey: ApiKey.nullable(),
    streetAddress: z.string(),
    aptNumber: z.string().nullable(),
    city: z.string(),
    state: z.string(),
    zip: z.string(),
    latitude: Latitude.nullable(),
    longitude: Longitude.nullable(),
  })
  .meta({ id: 'Address' })
export type Address = z.infer<typeof Address>

/** All of a card number that is ever kept. */
export const LastFour = z.string().regex(/^\d{4}$/)

/** Never a card number or a cvv, in any form. Month and year are two digits. */
export const CreditCard = z
  .object({
    apiKey: ApiKey,
    nickname: z.string().nullable(),
    cardholderName: z.string(),
    cardholderStreetAddress: z.string(),
    cardholderZip: z.string(),
    lastFour: LastFour,
    expirationMonth: z.string(),
    expirationYear: z.string(),
    brand: z.string(),
  })
  .meta({ id: 'CreditCard' })
export type CreditCard = z.infer<typeof CreditCard>

export const User = z
  .object({
    apiKey: ApiKey,
    email: z.string(),
    firstName: z.string(),
    lastName: z.string(),
    phone: z.string(),
    savedAddresses: z.array(Address),
    creditCards: z.array(CreditCard),
  })
  .meta({ id: 'User' })
export type User = z.infer<typeof User>

const ZonePoint = z.object({ latitude: Latitude, longitude: Longitude })

export const DeliveryZone = z
  .object({
    apiKey: ApiKey,
    description: z.string().nullable(),
    zips: z.array(z.string()).nullable(),
    points: z.array(ZonePoint).nullable(),
    holePoints: z.array(ZonePoint).nullable(),
    /** Miles around the restaurant. */
    maxRadius: z.number().nullable(),
    deliveryMin: Money,
    deliveryPrice: Money,
  })
  .meta({ id: 'DeliveryZone' })
export type DeliveryZone = z.infer<typeof DeliveryZone>

export const Restaurant = z
  .object({
    apiKey: ApiKey,
    name: z.string(),
    logoUrl: z.string(),
    url: z.string(),
    streetAddress: z.string(),
    city: z.string(),
    state: z.string(),
    zip: z.string(),
    latitude: Latitude,
    longitude: Longitude,
    phone: z.string(),
    foodTypes: z.array(z.string()),
    deliveryMin: Money,
    deliveryPrice: Money,
    /** -1: delivery is never free. */
    minFreeDelivery: Money,
    /** 0.08 is 8 %. */
    taxRate: z.number(),
    acceptsCash: z.boolean(),
    acceptsCard: z.boolean(),
    offersPickup: z.boolean(),
    offersDelivery: z.boolean(),
    isTestRestaurant: z.boolean(),
    /** Minutes. */
    minWaitTime: z.int(),
    maxWaitTime: z.int(),
    /** Now, in the restaurant's own time zone. */
    open: z.boolean(),
    /** "Monday" … "Sunday" to ranges like "11:00 AM - 3:00 AM"; a range may pass midnight. */
    hours: z.record(z.string(), z.array(z.string())),
    timezone: z.string(),
    /** In the details only. */
    zones: z.array(DeliveryZone).optional(),
  })
  .meta({ id: 'Restaurant' })
export type Restaurant = z.infer<typeof Restaurant>

export const CustomizationChoice = z
  .object({
    apiKey: ApiKey,
    name: z.string(),
    price: Money,
    /** How much it uses up of the group's maxCount. */
    count: z.int(),
    available: z.boolean(),
  })
  .meta({ id: 'CustomizationChoice' })

export const Customization = z
  .object({
    apiKey: ApiKey,
    name: z.string(),
    type: z.string(),
    customizationChoices: z.array(CustomizationChoice),
  })
  .meta({ id: 'Customization' })

export const CustomizationGroup = z
  .object({
    apiKey: ApiKey,
    name: z.string(),
    minCount: z.int(),
    maxCount: z.int(),
    /** Added once to the item when anything of the group is chosen. */
    basePrice: Money,
    customizations: z.array(Customization),
  })
  .meta({ id: 'CustomizationGroup' })
export type CustomizationGroup = z.infer<typeof CustomizationGroup>

export const MenuItem = z
  .object({
    apiKey: ApiKey,
    name: z.string(),
    description: z.string().nullable(),
    basePrice: Money,
    available: z.boolean(),
    /** Only with includeCustomizations=true. */
    customizationGroups: z.array(CustomizationGroup).optional(),
  })
  .meta({ id: 'MenuItem' })
export type MenuItem = z.infer<typeof MenuItem>

export const MenuCategory = z
  .object({ apiKey: ApiKey, name: z.string(), description: z.string().nullable(), items: z.array(MenuItem) })
  .meta({ id: 'MenuCategory' })
export type MenuCategory = z.infer<typeof MenuCategory>

export const OrderItem = z.object({
  apiKey: ApiKey,
  name: z.string(),
  comments: z.string().nullable(),
  basePrice: Money,
  totalPrice: Money,
  customizationChoices: z.array(z.object({ apiKey: ApiKey, details: z.string(), price: Money })),
})

export const Cancellation = z
  .object({
    reason: z.string(),
    message: z.string(),
    cancelledBy: z.enum(['restaurant', 'system', 'operator']),
    date: Epoch,
    refund: z.object({ amount: Money, state: PaymentState }),
  })
  .meta({ id: 'Cancellation' })
export type Cancellation = z.infer<typeof Cancellation>

export const Recipient = z.object({
  firstName: z.string(),
  lastName: z.string(),
  phone: z.string(),
  email: z.string().nullable(),
})
export type Recipient = z.infer<typeof Recipient>

/** `apiKey`, `id` and `datePlaced` are null only in the answer of validate-order, where nothing was placed. */
export const Order = z
  .object({
    apiKey: ApiKey.nullable(),
    id: z.int().nullable(),
    datePlaced: Epoch.nullable(),
    method: Method,
    payment: Payment,
    test: z.boolean(),
    restaurantApiKey: ApiKey,
    recipientApiKey: ApiKey.nullable(),
    recipient: Recipient,
    items: z.array(OrderItem),
    /** A new card has no apiKey yet in the answer of validate-order. */
    card: CreditCard.extend({ apiKey: ApiKey.nullable() }).meta({ id: 'OrderCard' }).nullable(),
    address: Address.nullable(),
    comments: z.string().nullable(),
    subtotal: Money,
    tax: Money,
    tip: Money,
    deliveryPrice: Money,
    total: Money,
    status: OrderStatus,
    paymentState: PaymentState,
    cancellation: Cancellation.nullable(),
  })
  .meta({ id: 'Order' })
export type Order = z.infer<typeof Order>

export const OrderStatusRecord = z
  .object({ orderApiKey: ApiKey, status: OrderStatus, date: Epoch })
  .meta({ id: 'OrderStatus' })
export type OrderStatusRecord = z.infer<typeof OrderStatusRecord>
