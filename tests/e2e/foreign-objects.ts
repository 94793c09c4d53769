import { elsewhere, keyed, type Options } from './accounts.ts'
import { card, expectOk, maria, post, register, sendOrder, stack } from './client.ts'
import { aConsole, salina } from './own-restaurant.ts'

/*
 * Two of each object: one of the application under test (`accessKey`) and one of another application, and the same for restaurants.
 */

/** Creates a user of an application with a card and an address. */
export async function anAccount(options: Options = {}) {
  const { apiKey: user } = await register(options)
  const [added, at] = await Promise.all([
    post<{ apiKey: string }>(`user/${user}/add-card`, card(), options),
    post<{ apiKey: string }>(`user/${user}/add-address`, salina, options),
  ])
  return { user, card: expectOk(added).apiKey, address: expectOk(at).apiKey }
}

/** Creates a restaurant with a console, and returns one of its items with one choice. */
export async function aPlace() {
  const { apiKey, key, dumplings, chili } = await aConsole()
  return { restaurant: apiKey, key, item: dumplings, choice: chili }
}

type Place = Omit<Awaited<ReturnType<typeof aPlace>>, 'key'>

/** A pickup order of an item with its choice, paid in cash. */
export const orderAt = ({ restaurant, item, choice }: Place, recipient: Record<string, unknown>) => ({
  restaurantApiKey: restaurant,
  items: [{ apiKey: item, customizationChoices: [{ apiKey: choice }] }],
  method: 'pickup',
  payment: 'cash',
  recipient,
})

export type World = Awaited<ReturnType<typeof makeWorld>>

/** Creates all objects for the tests of a file, once. */
export async function makeWorld() {
  const [ours, neighbour, theirs, { key, ...ourPlace }, { key: _, ...theirPlace }] = await Promise.all([
    anAccount(),
    anAccount(),
    anAccount(elsewhere()),
    aPlace(),
    aPlace(),
  ])
  const idempotencyKey = crypto.randomUUID()
  const [order, guestsOrder] = await Promise.all([
    sendOrder(orderAt(theirPlace, { apiKey: theirs.user }), { ...elsewhere(), ...keyed(idempotencyKey) }),
    sendOrder(orderAt(theirPlace, maria), elsewhere()),
  ])
  return {
    /** The key of each kind that a request with valid keys has. */
    own: { ...ours, ...ourPlace },
    /** Objects of another application, user or restaurant. The names are kinds, because some kinds are public. */
    foreign: {
      ...theirs,
      ...theirPlace,
      order: expectOk(order).apiKey,
      guestsOrder: expectOk(guestsOrder).apiKey,
      idempotencyKey,
      neighboursCard: neighbour.card,
      neighboursAddress: neighbour.address,
    },
    keys: { application: stack().accessKey, restaurant: key, operator: stack().operatorKey },
  }
}

/** A delivery to the user of the application, paid with the saved card. It contains every key that an order can name. */
export const fullOrder = (keys: World['own']) => ({
  ...orderAt(keys, { apiKey: keys.user }),
  method: 'delivery',
  payment: 'card',
  card: { apiKey: keys.card },
  address: { apiKey: keys.address },
})
