import { api, anOrder, card, cast, home, maria, sendOrder, stack } from '../client.ts'
import { anAccount, aPlace, orderAt } from '../foreign-objects.ts'
import { aRestaurant, always, menuItem, menuOf, newKey, restaurantInput } from '../own-restaurant.ts'
import type { Random } from '../../support/random.ts'
import type { World } from './requests.ts'

/** Creates the objects for the requests, isolated from other tests: an application and two restaurants. */
export async function aWorld(): Promise<World> {
  const { id: applicationId, accessKey: application } = await api.newApplication('malformed')
  const as = { key: application }
  const [place, changing, own] = [await aPlace(), await aRestaurant(), await anAccount(as)]
  const restaurant = await api.restaurantKey(changing)
  const order = orderAt(place, { apiKey: own.user })
  const { status, body: placed } = await sendOrder(order, as)
  if (status !== 200) throw new Error(`there is nothing to ask for: ${JSON.stringify(placed)}`)
  const delivery = { ...order, payment: 'card', method: 'delivery' }
  const orders = [
    order,
    await anOrder(cast.aurora),
    { ...delivery, card: card(), address: { ...home, ...restaurantInput } },
    { ...delivery, card: { apiKey: own.card }, address: { apiKey: own.address } },
  ]
  const keys: Record<string, string> = {
    publicapi: application,
    operatorapi: stack().operatorKey,
    restaurantapi: restaurant,
  }
  return {
    keyFor: (path) => keys[path.split('/')[1] ?? ''] ?? application,
    apiKeys: {
      restaurant: [place.restaurant, cast.aurora],
      // Only this restaurant is changed, because other tests use the others.
      restaurants: [changing, changing, changing, 'a%20b', '%00', '%F0%9F%8D%95', 'x'.repeat(101)],
      customizations: [place.item],
      item: [place.item],
      user: [own.user],
      'update-user': [own.user],
      order: [placed.apiKey],
      orders: [placed.apiKey],
      applications: [applicationId],
    },
    known: knownIn([newKey(), own.user, own.card, own.address, place.item, place.choice]),
    goodBodies: {
      'send-order': orders,
      'validate-order': orders,
      'put-restaurant': [restaurantInput],
      'put-menu': [menuOf([menuItem(3)])],
      'add-card': [card()],
      'add-address': [home],
      'update-user': [{ firstName: 'Mia' }],
    },
  }
}

/** Returns values with a valid form by the names of fields. */
function knownIn(apiKeys: readonly string[]) {
  const fixed: Record<string, readonly unknown[]> = {
    apiKey: ['', null, ...apiKeys],
    restaurantApiKey: [cast.aurora],
    ...Object.fromEntries(
      Object.entries({ ...home, ...card(), ...maria }).map(([name, value]) => [name, [value]]),
    ),
    password: ['a long enough password', 'short'],
    hours: [always, { Monday: ['11:00 AM - 2:00 AM'] }],
    Monday: [['9:00 AM - 5:00 PM']],
    timezone: ['US/Central', 'Etc/UTC'],
    url: ['https://example.org/orders'],
    secret: [`whsec_${'A'.repeat(43)}=`],
    'street-address': ['Madison, WI 53703', 'Atlantis'],
    search: ['[pizza, null]', 'wings'],
    cursor: ['W10', 'eyJ9'],
  }
  return (field: string, random: Random): unknown => {
    if (field === 'email') return `malformed.${random.between(0, 999_999)}@example.org`
    const values = fixed[field]
    // A copy, because mutations change it in place, and all files of a worker share the fixtures.
    return values && random.next() < 0.9 ? structuredClone(random.pick(values)) : undefined
  }
}
