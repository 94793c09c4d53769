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

/** Returns members with the same form. */
const each = (form: z.ZodType, ...names: readonly string[]): Record<string, z.ZodType> =>
  Object.fromEntries(names.map((name) => [name, form]))

/** ECMAScript 2026 gives the source text of a number. TypeScript 7.0 has no type for it. */
const revive = (_name: string, value: unknown, { source }: { source: string } = { source: '' }): unknown =>
  typeof value === 'number' ? new Numeral(source) : value

/** Returns the faults of a response for such a reader. An empty result means that it can decode the response. */
export function complaints(reader: z.ZodType, json: string): string[] {
  const { error } = reader.safeParse(JSON.parse(json, revive as Parameters<typeof JSON.parse>[1]))
  return (error?.issues ?? []).map(({ path, message }) => `/${path.join('/')}: ${message}`)
}

export const address = record({
  ...each(text, 'streetAddress', 'city', 'state', 'zip'),
  ...each(text.nullable(), 'apiKey', 'aptNumber'),
  ...each(decimal.nullable(), 'latitude', 'longitude'),
})

const cardFields = {
  ...each(text, 'cardholderName', 'cardholderStreetAddress', 'cardholderZip', 'lastFour'),
  ...each(text, 'expirationMonth', 'expirationYear'),
  nickname: text.nullable(),
}
export const creditCard = record({ apiKey: text, ...cardFields })

export const user = record({
  ...each(text, 'apiKey', 'email', 'firstName', 'lastName', 'phone'),
  savedAddresses: list(address),
  creditCards: list(creditCard),
})

const point = record(each(decimal, 'latitude', 'longitude'))

const zone = record({
  apiKey: text,
  ...each(money, 'deliveryMin', 'deliveryPrice'),
  description: text.optional(),
  zips: filledList(text).optional(),
  ...each(filledList(point).optional(), 'points', 'holePoints'),
  maxRadius: decimal.optional(),
})

const restaurantFields = {
  ...each(text, 'apiKey', 'name', 'logoUrl', 'url', 'phone', 'timezone'),
  ...each(text, 'streetAddress', 'city', 'state', 'zip'),
  ...each(decimal, 'latitude', 'longitude', 'taxRate'),
  ...each(money, 'deliveryMin', 'deliveryPrice', 'minFreeDelivery'),
  ...each(truth, 'acceptsCash', 'acceptsCard', 'offersPickup', 'offersDelivery', 'isTestRestaurant', 'open'),
  ...each(integer, 'customerCancelMinutes', 'minWaitTime', 'maxWaitTime'),
  foodTypes: list(text),
  hours: z.record(text, filledList(text)),
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

const choice = record({ ...each(text, 'apiKey', 'name'), price: money, count: integer, available: truth })
const customization = record({
  ...each(text, 'apiKey', 'name', 'type'),
  customizationChoices: filledList(choice),
})
export const group = record({
  ...each(text, 'apiKey', 'name'),
  ...each(integer, 'minCount', 'maxCount'),
  basePrice: money,
  customizations: filledList(customization),
})
const item = record({
  ...each(text, 'apiKey', 'name'),
  description: text.optional(),
  basePrice: money,
  available: truth,
  customizationGroups: list(group).optional(),
})
const category = { ...each(text, 'apiKey', 'name'), description: text.optional(), items: list(item) }
export const menu = list(record(category))

const orderItem = record({
  ...each(text, 'apiKey', 'name'),
  comments: text.nullable(),
  ...each(money, 'basePrice', 'totalPrice'),
  customizationChoices: list(record({ ...each(text, 'apiKey', 'details'), price: money })),
})
const orderFields = {
  ...each(text, 'method', 'payment', 'restaurantApiKey', 'status', 'paymentState'),
  ...each(text.nullable(), 'recipientApiKey', 'comments'),
  ...each(money, 'subtotal', 'tax', 'tip', 'deliveryPrice', 'total'),
  test: truth,
  recipient: record({ ...each(text, 'firstName', 'lastName', 'phone'), email: text.nullable() }),
  items: filledList(orderItem),
  card: record({ apiKey: text.nullable(), ...cardFields }).nullable(),
  address: address.nullable(),
}
export const order = record({ apiKey: text, ...each(integer, 'id', 'datePlaced'), ...orderFields })
/** The order before it is placed: it has no key yet. */
export const validated = record({ apiKey: text.nullable(), datePlaced: integer.nullable(), ...orderFields })
export const orderStatus = record({ ...each(text, 'orderApiKey', 'status'), date: integer })

export const problem = record({
  ...each(text, 'type', 'title', 'detail', 'code', 'requestId', 'details'),
  ...each(integer, 'status', 'errorCode'),
  ...each(truth, 'retryable', 'error'),
  errors: list(record(each(text, 'pointer', 'code', 'detail'))),
})
