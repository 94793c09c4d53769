import { z } from 'zod'

/*
 * The records of the interface in the form in which strictly typed languages decode them. They have only the declarations of
 * clients of the original interface, and use neither the schemas nor the generated document of Platter. Unknown members are
 * ignored.
 */

/** A number in its written form: `8` and `8.00` are equal for JSON.parse, but have different types for these readers. */
class Numeral {
  readonly source: string
  constructor(source: string) {
    this.source = source
  }
}

const numeral = (expected: string, pattern: RegExp) =>
  z.custom<Numeral>((value) => value instanceof Numeral && pattern.test(value.source), {
    error: ({ input }) =>
      `expected ${expected}, received ${input instanceof Numeral ? input.source : JSON.stringify(input)}`,
  })

/** `double`: fails for an integer. */
const decimal = numeral('a decimal', /^-?\d+\.\d+$/)
const money = numeral('two decimals', /^-?\d+\.\d\d$/)
const integer = numeral('an integer', /^-?\d+$/)
const text = z.string()
const truth = z.boolean()
const { object: record, array: list } = z
/** Such readers take the first element without a check of the length. */
const filledList = <T extends z.ZodType>(element: T) => z.array(element).min(1)

/** ECMAScript 2026 gives the source text of a number. TypeScript 7.0 has no type for it. */
const revive = (_name: string, value: unknown, { source }: { source: string } = { source: '' }): unknown =>
  typeof value === 'number' ? new Numeral(source) : value

/** Returns the faults of a response for such a reader. An empty result means that it can decode the response. */
export function complaints(reader: z.ZodType, json: string): string[] {
  const { error } = reader.safeParse(JSON.parse(json, revive as Parameters<typeof JSON.parse>[1]))
  return (error?.issues ?? []).map(({ path, message }) => `/${path.join('/')}: ${message}`)
}

export const address = record({
  apiKey: text.nullable(),
  streetAddress: text,
  aptNumber: text.nullable(),
  city: text,
  state: text,
  zip: text,
  latitude: decimal.nullable(),
  longitude: decimal.nullable(),
})

const cardFields = {
  nickname: text.nullable(),
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
  description: text.optional(),
  zips: filledList(text).optional(),
  points: filledList(point).optional(),
  holePoints: filledList(point).optional(),
  maxRadius: decimal.optional(),
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
  hours: z.record(text, filledList(text)),
  timezone: text,
  zones: list(zone).optional(),
}
export const restaurant = record(restaurantFields)
export const details = record({ ...restaurantFields, restaurant })
export const found = record({ address, restaurants: list(restaurant) })

export const paymentMethods = record({
  processor: text,
  publishableKey: text.nullable(),
  rawCards: truth,
  wallets: list(text),
  tokenUrl: text.optional(),
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
  description: text.optional(),
  basePrice: money,
  available: truth,
  customizationGroups: list(group).optional(),
})
export const menu = list(
  record({ apiKey: text, name: text, description: text.optional(), items: list(item) }),
)

const orderItem = record({
  apiKey: text,
  name: text,
  comments: text.nullable(),
  basePrice: money,
  totalPrice: money,
  customizationChoices: list(record({ apiKey: text, details: text, price: money })),
})
const orderFields = {
  method: text,
  payment: text,
  test: truth,
  restaurantApiKey: text,
  recipientApiKey: text.nullable(),
  recipient: record({ firstName: text, lastName: text, phone: text, email: text.nullable() }),
  items: filledList(orderItem),
  card: record({ apiKey: text.nullable(), ...cardFields }).nullable(),
  address: address.nullable(),
  comments: text.nullable(),
  subtotal: money,
  tax: money,
  tip: money,
  deliveryPrice: money,
  total: money,
  status: text,
  paymentState: text,
}
export const order = record({ apiKey: text, id: integer, datePlaced: integer, ...orderFields })
/** The order before it is placed: it has no key yet. */
export const validated = record({ apiKey: text.nullable(), datePlaced: integer.nullable(), ...orderFields })
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
