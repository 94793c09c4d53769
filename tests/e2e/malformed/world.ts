import {
  api,
  post,
  get,
  anOrder,
  card,
  cast,
  home,
  maria,
  register,
  stack,
  sendOrder,
  type CreditCard,
} from '../client.ts'
import { aRestaurant, always, menuItem, menuOf, newKey, restaurantInput } from '../own-restaurant.ts'
import type { Random } from '../../support/random.ts'
import type { World } from './requests.ts'

/** Creates the objects for the requests, isolated from other tests: an application and two restaurants. */
export async function aWorld(): Promise<World> {
  const { id: applicationId, accessKey: application } = await api.newApplication('malformed')
  const [open, changing] = [await aRestaurant({}, [menuItem(9.5), menuItem(4)]), await aRestaurant()]
  const restaurant = await api.restaurantKey(changing)
  const as = { key: application }
  const user = await register(as)
  const { body: saved } = await post<CreditCard>(`user/${user.apiKey}/add-card`, card(), as)
  const { body: address } = await post<{ apiKey: string }>(`user/${user.apiKey}/add-address`, home, as)
  const order = { ...(await anOrder(open)), recipient: { apiKey: user.apiKey } }
  const { status, body: placed } = await sendOrder(order, as)
  if (status !== 200) throw new Error(`there is nothing to ask for: ${JSON.stringify(placed)}`)
  const orders = [
    order,
    await anOrder(cast.aurora),
    { ...order, payment: 'card', card: card(), method: 'delivery', address: { ...home, ...restaurantInput } },
    {
      ...order,
      payment: 'card',
      card: { apiKey: saved.apiKey },
      method: 'delivery',
      address: { apiKey: address.apiKey },
    },
  ]
  const { body: menu } = await get<{ items: { apiKey: string }[] }[]>(`restaurant/${open}/menu`)
  const items = menu.flatMap((category) => category.items.map(({ apiKey }) => apiKey))
  const keys: Record<string, string> = {
    publicapi: application,
    operatorapi: stack().operatorKey,
    restaurantapi: restaurant,
  }
  return {
    keyFor: (path) => keys[path.split('/')[1] ?? ''] ?? application,
    apiKeys: {
      restaurant: [open, cast.aurora],
      // Only this restaurant is changed, because other tests use the others.
      restaurants: [changing, changing, changing, 'a%20b', '%00', '%F0%9F%8D%95', 'x'.repeat(101)],
      customizations: items,
      item: items,
      user: [user.apiKey],
      'update-user': [user.apiKey],
      order: [placed.apiKey],
      orders: [placed.apiKey],
      applications: [applicationId],
    },
    known: knownIn([newKey(), user.apiKey, saved.apiKey, address.apiKey, ...items]),
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
