import { elsewhere, keyed, person, type Options } from './accounts.ts'
import { card, maria, post, sendOrder, stack, type User } from './client.ts'
import { aKitchen, itemWithChoices, newKey, salina } from './own-restaurant.ts'

/*
 * Two of each object: one of the application under test (`accessKey`) and one of another application, and the same for restaurants.
 */

const address = {
  streetAddress: salina.streetAddress,
  city: salina.city,
  state: salina.state,
  zip: salina.zip,
}

/** Creates a user of an application with a card and an address. */
export async function anAccount(options: Options = {}) {
  const { body: user } = await post<User>('register-user', person(), options)
  const [added, at] = await Promise.all([
    post<{ apiKey: string }>(`user/${user.apiKey}/add-card`, card(), options),
    post<{ apiKey: string }>(`user/${user.apiKey}/add-address`, address, options),
  ])
  return { user: user.apiKey, card: added.body.apiKey, address: at.body.apiKey }
}

/** Creates a restaurant with a console, and one item with one choice. */
export async function aPlace() {
  const choice = { apiKey: newKey(), name: 'Sour cream', price: 0.5 }
  const item = itemWithChoices(20, { group: 'Sauce', choices: [choice] })
  const { apiKey, key } = await aKitchen({}, [item])
  return { restaurant: apiKey, key, item: item.apiKey, choice: choice.apiKey }
}

type Place = Awaited<ReturnType<typeof aPlace>>

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
  const [ours, neighbour, theirs, ourPlace, theirPlace] = await Promise.all([
    anAccount(),
    anAccount(),
    anAccount(elsewhere()),
    aPlace(),
    aPlace(),
  ])
  const idempotencyKey = crypto.randomUUID()
  const [theirOrder, theirGuestsOrder] = await Promise.all([
    sendOrder(orderAt(theirPlace, { apiKey: theirs.user }), { ...elsewhere(), ...keyed(idempotencyKey) }),
    sendOrder(orderAt(theirPlace, maria), elsewhere()),
  ])
  for (const { status, body } of [theirOrder, theirGuestsOrder])
    if (status !== 200) throw new Error(`not an order: ${JSON.stringify(body)}`)
  return {
    ours,
    ourPlace,
    theirs,
    /** Objects of another application, user or restaurant. The names are kinds, because some kinds are public. */
    foreign: {
      user: theirs.user,
      card: theirs.card,
      address: theirs.address,
      order: theirOrder.body.apiKey,
      guestsOrder: theirGuestsOrder.body.apiKey,
      idempotencyKey,
      restaurant: theirPlace.restaurant,
      item: theirPlace.item,
      choice: theirPlace.choice,
      neighboursCard: neighbour.card,
      neighboursAddress: neighbour.address,
    },
    keys: { application: stack().accessKey, restaurant: ourPlace.key, operator: stack().operatorKey },
  }
}

/** A delivery to the user of the application, paid with the saved card. It contains every key that an order can name. */
export const fullOrder = ({ ours, ourPlace }: World) => ({
  ...orderAt(ourPlace, { apiKey: ours.user }),
  method: 'delivery',
  payment: 'card',
  card: { apiKey: ours.card },
  address: { apiKey: ours.address },
})
