import { person } from '../accounts.ts'
import { api, anOrder, card, seedRestaurants, home, sendOrder, stack } from '../client.ts'
import { anAccount, aPlace, orderAt } from '../foreign-objects.ts'
import { aRestaurant, menuItem, menuOf, restaurantInput } from '../own-restaurant.ts'
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
    await anOrder(seedRestaurants.aurora),
    { ...delivery, card: card(), address: { ...home, ...restaurantInput } },
    { ...delivery, card: { apiKey: own.card }, address: { apiKey: own.address } },
    // The item has no such choice, so 422.
    { ...order, items: [{ apiKey: place.item, customizationChoices: [{ apiKey: 'none' }] }] },
  ]
  // Attempts are limited by e-mail address.
  const persons = Array.from({ length: 500 }, () => person())
  const keys: Record<string, string> = {
    publicapi: application,
    operatorapi: stack().operatorKey,
    restaurantapi: restaurant,
  }
  return {
    keyFor: (path) => keys[path.split('/')[1] ?? ''] ?? application,
    apiKeys: {
      restaurant: [place.restaurant, seedRestaurants.aurora],
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
    goodBodies: {
      'send-order': orders,
      'validate-order': orders,
      'put-restaurant': [restaurantInput],
      'put-menu': [menuOf([menuItem(3)])],
      'register-user': persons,
      signin: persons,
    },
  }
}
