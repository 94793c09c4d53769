import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { check, placeCardOrder, secondsUntil, sendOrder, type World } from './world.ts'

/** Returns the restaurant of docs/deployment.md, open at all times. */
function restaurantOfTheDocuments() {
  const text = readFileSync(join(import.meta.dirname, '../../docs/deployment.md'), 'utf8')
  const [, json = ''] = /^```json\n(\{\n {2}"restaurant"[^]*?)^```$/m.exec(text) ?? []
  const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
  const file = JSON.parse(json) as {
    restaurant: { apiKey: string; hours: object }
    menu: [{ items: [{ apiKey: string }] }]
  }
  file.restaurant.hours = Object.fromEntries(days.map((day) => [day, ['12:00 AM - 12:00 AM']]))
  return file
}

const lastWord = (output: string): string => output.trim().split(/\s+/).at(-1) ?? ''

/** Runs the commands of docs/deployment.md: they add a restaurant, its console, an application and their keys. */
export async function addRestaurant(world: World): Promise<string> {
  const { installation, keys } = world
  const file = restaurantOfTheDocuments()
  installation.write('bistro-aurora.json', JSON.stringify(file))
  await installation.platter('restaurants', 'import', 'bistro-aurora.json')
  world.restaurantApiKey = file.restaurant.apiKey
  world.itemApiKey = file.menu[0].items[0].apiKey
  keys.restaurant = lastWord(
    await installation.platter('keys', 'issue', '--restaurant', file.restaurant.apiKey),
  )
  keys.applicationId = lastWord(await installation.platter('applications', 'create', 'My application'))
  keys.application = lastWord(
    await installation.platter('keys', 'issue', '--application', keys.applicationId),
  )
  const closed = await sendOrder(world, 'cash')
  check(closed.body['code'] === 'restaurant-closed', `without a console an order is ${closed.status}`)
  await world.tablet.connect(world)
  const open = async () =>
    (
      await installation.call(`/publicapi/v1/restaurant/${world.restaurantApiKey}`, {
        key: keys.application,
      })
    ).body['open'] === true
  return `open ${(await secondsUntil(open, { what: 'the restaurant is open', withinS: 30 })).toFixed(1)} s after its console connected`
}

/** Places one order in cash and one by card. The card order is captured once. */
export async function placeOrders(world: World): Promise<string> {
  const cash = await sendOrder(world, 'cash')
  check(cash.status === 200, `cash: ${cash.status} ${JSON.stringify(cash.body)}`)
  const captures = await placeCardOrder(world)
  check(captures.length === 1, 'the card is captured more than once')
  return `${captures[0]?.amount} cents captured once`
}
