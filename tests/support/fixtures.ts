/* Prepared data of all tests: people, cards, addresses and restaurants. */

/** Restaurants of the development seed, by their behaviour. */
export const seedRestaurants = {
  /** Accepts every order at once, and is always open. */
  aurora: 'f4f7bdddedd6fb15f517e8f07c36feac3a10071975783f70',
  refuses: '02f207fb3951c1b86a7a941a2ff08f2514787ace1e3c380a',
  unreachable: 'deb27df11362eb3fef85a472e4653443a7d0cd210c999271',
  silent: 'efbe0778b08501a1899cea1e2d425888ea5133d9e27fc6c4',
  slow: 'ec1adc6b1ea289fa91ad435100408631f80626f17daf23ca',
  coarse: 'c7f72532f1c28c15c2b2207ae6de2ee3bebd4225ab391b6e',
  closed: 'c6f5ca763f2cff78343e1c66b75c26d58aeb36ab4ff31b94',
  pickupOnly: 'b8c95d0008254300f0516b5ad9ef49ac9888a2aefb1725e9',
  console: '76191ea61a099af3ffa7543db18b4efbaeb8911df183588f',
  test: '58e5fd946c7b9fabc1850ddd0bd97ad9f893aafef8108b08',
  testCoarse: '27d136bc8dbfc3ef0d23b5f796862fa7644d1c91634ea9c5',
} as const

export const maria = { firstName: 'Maria', lastName: 'Lindqvist', phone: '608-555-0142' }

export const home = {
  streetAddress: '316 W Washington Ave',
  aptNumber: '4',
  city: 'Madison',
  state: 'WI',
  zip: '53703',
}

export const PASSWORD = 'a long enough password'

export const newEmail = (name = 'maria') => `${name}.${crypto.randomUUID()}@example.org`

/** The body of register-user. */
export const person = (changes: Record<string, unknown> = {}) => ({
  ...maria,
  email: newEmail(),
  password: PASSWORD,
  ...changes,
})

/** Cards of the development processor, by their behaviour. */
export const cardNumbers = {
  good: '4242424242424242',
  declined: '4000000000000002',
  insufficientFunds: '4000000000009995',
  expired: '4000000000000069',
  wrongCvc: '4000000000000127',
  /** The bank requires a challenge each time. */
  challenged: '4000002760003184',
}

/** A new card. */
export const card = (cardNumber: string = cardNumbers.good) => ({
  cardholderName: 'Maria Lindqvist',
  cardholderStreetAddress: '316 W Washington Ave',
  cardholderZip: '53703',
  cvv: '314',
  cardNumber,
  expirationMonth: '09',
  expirationYear: '39',
})

/** The body of send-order: a guest picks up two of an item and pays in cash. `changes` replaces fields. */
export const pickup = (
  restaurantApiKey: string,
  itemApiKey: string,
  changes: Record<string, unknown> = {},
): Record<string, unknown> => ({
  restaurantApiKey,
  items: [{ apiKey: itemApiKey }, { apiKey: itemApiKey, comments: 'well done, please' }],
  method: 'pickup',
  payment: 'cash',
  recipient: maria,
  ...changes,
})
