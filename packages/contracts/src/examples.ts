import type {
  Address,
  Cancellation,
  CreditCard,
  CustomizationGroup,
  MenuCategory,
  Order,
  OrderStatusRecord,
  Restaurant,
  User,
} from '#/records.ts'

/*
 * Records that the examples of several operations share. Restaurant, menu and keys are those of the development seed
 * (dev/seed/restaurants/aurora-slice-house.json), so clients can send an example unchanged. An end-to-end test does so.
 */

export const keys = {
  restaurant: 'f4f7bdddedd6fb15f517e8f07c36feac3a10071975783f70',
  testRestaurant: '58e5fd946c7b9fabc1850ddd0bd97ad9f893aafef8108b08',
  cheeseSlice: 'ec5f4faed6839e01d76dc40b4cb86378ff5d98957d4f75c9',
  margherita: 'a31a5510824f8858ff6cefca9a9dcae27751b5fcc7f3bbf8',
  medium: '15e8e06e21aa64c3620cd75951433eb1b803a356480c706f',
  handStretched: 'a322943ae946e226f24405ab82ad77fc6be084ac0908b6cf',
  garlicKnots: '58da593025dd83ff4fe6c6cecbf46fe0eef5f3bcebf3ba1d',
  marinara: 'ce354f4d7971bb92268fddf89a7674d216c3277853ea03f6',
  tomatoSoup: '7889b947767bda70a256a608c2b581e53677fe77a8103f89',
  user: '3c9e1f0a7d5b48269af3e2c17b60d8459e21c7a4f08b6d13',
  card: 'a87d20c94e6f13b5d09c72e8f14a6b3052d9c81e7f3046ab',
  address: '5b14e7d92c08fa36b1e4750d9c2f8a63e70b51d49ac2683f',
  order: 'd0e4b2716c9f83a5e1d7480b2c6f9a35417ed8c092b3f65a',
  application: '81f5c03e9a2b7d46e0c81d5f3a97b264c5e80f13d7a9426b',
  accessKey: '2e7a94d1c6b8035fe94d1a72b60c8f35d7e19a4c8b52f063',
}

const cardholder = {
  cardholderName: 'Maria Lindqvist',
  cardholderStreetAddress: '316 W Washington Ave',
  cardholderZip: '53703',
}

export const newCard = {
  nickname: 'Everyday',
  ...cardholder,
  cvv: '314',
  cardNumber: '4242424242424242',
  expirationMonth: '09',
  expirationYear: '31',
}

/** `tok_visa` is a token of the development payment processor, and of Stripe's test mode. */
export const tokenCard = { ...cardholder, processorToken: 'tok_visa' }

export const newAddress = {
  streetAddress: '316 W Washington Ave',
  aptNumber: '4',
  city: 'Madison',
  state: 'WI',
  zip: '53703',
}

export const guest = { firstName: 'Maria', lastName: 'Lindqvist', phone: '608-555-0142' }

export const address: Address = { apiKey: keys.address, ...newAddress, latitude: null, longitude: null }

export const card = {
  apiKey: keys.card,
  nickname: 'Everyday',
  ...cardholder,
  lastFour: '4242',
  expirationMonth: '09',
  expirationYear: '31',
  brand: 'visa',
} satisfies CreditCard

export const user: User = {
  apiKey: keys.user,
  email: 'maria@example.org',
  ...guest,
  savedAddresses: [address],
  creditCards: [card],
}

const allDay = ['12:00 AM - 12:00 AM']

export const restaurant: Restaurant = {
  apiKey: keys.restaurant,
  name: 'Aurora Slice House',
  logoUrl: '',
  url: '',
  streetAddress: '417 West Gilman Street',
  city: 'Madison',
  state: 'WI',
  zip: '53703',
  latitude: 43.0762,
  longitude: -89.3931,
  phone: '608-555-0101',
  foodTypes: ['Pizza', 'Italian'],
  deliveryMin: 10,
  deliveryPrice: 2.99,
  minFreeDelivery: 25,
  taxRate: 0.055,
  acceptsCash: true,
  acceptsCard: true,
  offersPickup: true,
  offersDelivery: true,
  isTestRestaurant: false,
  customerCancelMinutes: 5,
  minWaitTime: 25,
  maxWaitTime: 40,
  open: true,
  hours: {
    Monday: ['11:00 AM - 10:00 PM'],
    Tuesday: ['11:00 AM - 2:00 PM', '5:00 PM - 10:00 PM'],
    Wednesday: ['11:00 AM - 10:00 PM'],
    Thursday: ['11:00 AM - 10:00 PM'],
    Friday: ['11:00 AM - 3:00 AM'],
    Saturday: allDay,
  },
  timezone: 'US/Central',
}

const zone = {
  apiKey: 'b3124efffda1380561e43108d456b032da9608b220421b58',
  description: 'Four miles around Gilman Street',
  maxRadius: 4,
  deliveryMin: 10,
  deliveryPrice: 2.99,
}

export const detailedRestaurant: Restaurant = { ...restaurant, zones: [zone] }

export const dips: CustomizationGroup = {
  apiKey: 'a815cd9bd293ff72197c43da88bb3bf31dd05df3677e1a4f',
  name: 'Dips',
  minCount: 0,
  maxCount: 4,
  basePrice: 0,
  customizations: [
    {
      apiKey: '126820383dd730b9af1b9a48f32a923b9416846dac0393c6',
      name: 'Dip',
      type: 'sauce',
      customizationChoices: [
        { apiKey: keys.marinara, name: 'Marinara', price: 0.75, count: 1, available: true },
        {
          apiKey: 'f3bc7e27eb066705b5928827f5bc5725e798ce84f90c19bf',
          name: 'Garlic butter',
          price: 0.85,
          count: 1,
          available: true,
        },
      ],
    },
  ],
}

export const category: MenuCategory = {
  apiKey: 'ed944a10c66f36d54cfdc55e5dd93f96df6e192b457446a6',
  name: 'Knots and sides',
  items: [
    {
      apiKey: keys.garlicKnots,
      name: 'Garlic Knots',
      description: 'Six, with parsley and far too much garlic.',
      basePrice: 5.45,
      available: true,
      customizationGroups: [dips],
    },
  ],
}

const knots = {
  apiKey: keys.garlicKnots,
  name: 'Garlic Knots',
  comments: 'well done, please',
  basePrice: 5.45,
  totalPrice: 6.2,
  customizationChoices: [{ apiKey: keys.marinara, details: 'Dip: Marinara', price: 0.75 }],
}

const slice = {
  apiKey: keys.cheeseSlice,
  name: 'Cheese Slice',
  comments: null,
  basePrice: 3.25,
  totalPrice: 3.25,
  customizationChoices: [],
}

/** 3.25 + 6.20, tax 0.51975. */
export const pickupOrder: Order = {
  apiKey: keys.order,
  id: 1042,
  datePlaced: 1795199400,
  method: 'pickup',
  payment: 'cash',
  test: false,
  restaurantApiKey: keys.restaurant,
  recipientApiKey: null,
  recipient: { ...guest, email: null },
  items: [slice, knots],
  card: null,
  address: null,
  comments: null,
  subtotal: 9.45,
  tax: 0.52,
  tip: 0,
  deliveryPrice: 0,
  total: 9.97,
  status: 'AWAITING_PREPARATION',
  paymentState: 'DUE',
  cancellation: null,
  refunds: [],
  refundedTotal: 0,
  dispute: null,
}

const margherita = {
  apiKey: keys.margherita,
  name: 'Margherita',
  comments: null,
  basePrice: 10.95,
  totalPrice: 15.2,
  customizationChoices: [
    { apiKey: keys.medium, details: 'Pizza size: Medium 14 inch', price: 4.25 },
    { apiKey: keys.handStretched, details: 'Crust: Hand-stretched', price: 0 },
  ],
}

/** 15.20 + 3.25, tax 1.01475. */
export const deliveryOrder: Order = {
  ...pickupOrder,
  method: 'delivery',
  payment: 'card',
  recipientApiKey: keys.user,
  recipient: { ...guest, email: user.email },
  items: [margherita, slice],
  card,
  address: { ...address, latitude: 43.0718, longitude: -89.3885 },
  comments: 'Ring twice.',
  subtotal: 18.45,
  tax: 1.01,
  tip: 3,
  deliveryPrice: 2.99,
  total: 25.45,
  paymentState: 'CHARGED',
}

/** `deliveryOrder` after its cancellation. */
export const cancelledOrder = (cancelledBy: Cancellation['cancelledBy'], message: string): Order => ({
  ...deliveryOrder,
  paymentState: 'REFUNDED',
  cancellation: {
    reason: 'order-cancelled',
    message,
    cancelledBy,
    date: 1795199500,
    refund: { amount: deliveryOrder.total, state: 'REFUNDED' },
  },
})

export const statuses: OrderStatusRecord[] = [
  { orderApiKey: keys.order, status: 'PROCESSING', date: 1795199400 },
  { orderApiKey: keys.order, status: 'AWAITING_PREPARATION', date: 1795199402 },
  { orderApiKey: keys.order, status: 'PREPARING', date: 1795199580 },
]

const { card: _1, paymentState: _2, recipientApiKey: _3, dispute: _4, ...inKitchen } = pickupOrder

/** `pickupOrder` as its restaurant reads it. */
export const restaurantOrder = {
  ...inKitchen,
  toCollect: pickupOrder.total,
  status: 'AWAITING_PREPARATION',
  nextStatuses: ['PREPARING', 'READY_FOR_PICKUP'],
}

export const application = { id: keys.application, name: 'Lunch for teams', created: 1795199400 }

export const issuedAccessKey = {
  id: keys.accessKey,
  accessKey: 'platter_live_9kQ2mX7vB4nT8sLw3RzY6cHdJ5pG1f0aUeKq',
  prefix: 'platter_live_9kQ2',
  created: 1795199400,
}

export const accessKey = {
  id: keys.accessKey,
  kind: 'application',
  prefix: 'platter_live_9kQ2',
  created: 1795199400,
  imported: false,
  lastUsed: 1795203000,
  expires: null,
  revoked: null,
}
