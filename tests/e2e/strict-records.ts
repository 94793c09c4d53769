import {
  decimal,
  dictionary,
  filledList,
  integer,
  list,
  money,
  nullable,
  optional,
  record,
  text,
  truth,
} from './strict-reader.ts'

/* The records of the interface as strictly typed clients declare them. */

export const address = record({
  apiKey: nullable(text),
  streetAddress: text,
  aptNumber: nullable(text),
  city: text,
  state: text,
  zip: text,
  latitude: nullable(decimal),
  longitude: nullable(decimal),
})

const cardFields = {
  nickname: nullable(text),
  cardholderName: text,
  cardholderStreetAddress: text,
  cardholderZip: text,
  lastFour: text,
  expirationMonth: text,
  expirationYear: text,
}
export const creditCard = record({ apiKey: text, ...cardFields })

export const user = record({
  apiKey: text,
  email: text,
  firstName: text,
  lastName: text,
  phone: text,
  savedAddresses: list(address),
  creditCards: list(creditCard),
})

const point = record({ latitude: decimal, longitude: decimal })

const zone = record({
  apiKey: text,
  description: optional(text),
  zips: optional(filledList(text)),
  points: optional(filledList(point)),
  holePoints: optional(filledList(point)),
  maxRadius: optional(decimal),
  deliveryMin: money,
  deliveryPrice: money,
})

const restaurantFields = {
  apiKey: text,
  name: text,
  logoUrl: text,
  url: text,
  streetAddress: text,
  city: text,
  state: text,
  zip: text,
  latitude: decimal,
  longitude: decimal,
  phone: text,
  foodTypes: list(text),
  deliveryMin: money,
  deliveryPrice: money,
  minFreeDelivery: money,
  taxRate: decimal,
  acceptsCash: truth,
  acceptsCard: truth,
  offersPickup: truth,
  offersDelivery: truth,
  isTestRestaurant: truth,
  customerCancelMinutes: integer,
  minWaitTime: integer,
  maxWaitTime: integer,
  open: truth,
  hours: dictionary(filledList(text)),
  timezone: text,
  zones: optional(list(zone)),
}
export const restaurant = record(restaurantFields)
export const details = record({ ...restaurantFields, restaurant })
export const found = record({ address, restaurants: list(restaurant) })

export const paymentMethods = record({
  processor: text,
  publishableKey: nullable(text),
  rawCards: truth,
  wallets: list(text),
  tokenUrl: optional(text),
})

const choice = record({ apiKey: text, name: text, price: money, count: integer, available: truth })
const customization = record({
  apiKey: text,
  name: text,
  type: text,
  customizationChoices: filledList(choice),
})
export const group = record({
  apiKey: text,
  name: text,
  minCount: integer,
  maxCount: integer,
  basePrice: money,
  customizations: filledList(customization),
})
const item = record({
  apiKey: text,
  name: text,
  description: optional(text),
  basePrice: money,
  available: truth,
  customizationGroups: optional(list(group)),
})
export const menu = list(record({ apiKey: text, name: text, description: optional(text), items: list(item) }))

const orderItem = record({
  apiKey: text,
  name: text,
  comments: nullable(text),
  basePrice: money,
  totalPrice: money,
  customizationChoices: list(record({ apiKey: text, details: text, price: money })),
})
const orderFields = {
  method: text,
  payment: text,
  test: truth,
  restaurantApiKey: text,
  recipientApiKey: nullable(text),
  recipient: record({ firstName: text, lastName: text, phone: text, email: nullable(text) }),
  items: filledList(orderItem),
  card: nullable(record({ apiKey: nullable(text), ...cardFields })),
  address: nullable(address),
  comments: nullable(text),
  subtotal: money,
  tax: money,
  tip: money,
  deliveryPrice: money,
  total: money,
  status: text,
  paymentState: text,
}
export const order = record({ apiKey: text, id: integer, datePlaced: integer, ...orderFields })
/** As it would be placed: it has no key yet. */
export const validated = record({ apiKey: nullable(text), datePlaced: nullable(integer), ...orderFields })
export const orderStatus = record({ orderApiKey: text, status: text, date: integer })

export const problem = record({
  type: text,
  title: text,
  status: integer,
  detail: text,
  code: text,
  requestId: text,
  retryable: truth,
  errors: list(record({ pointer: text, code: text, detail: text })),
  error: truth,
  errorCode: integer,
  details: text,
})
