import { RestaurantSearch } from '@platter/contracts'
import { describe, expect, test } from 'vitest'
import { call, seedRestaurants, get, home, stack, type Restaurant, expectConforms } from './client.ts'
import { ownStack } from './stack.ts'
import { aRestaurant, menuItem, newKey, salina } from './own-restaurant.ts'

type Found = {
  address: { streetAddress: string; zip: string; latitude: number | null; longitude: number | null }
  restaurants: Restaurant[]
}
type Refused = { code: string; errors: { pointer: string; code: string }[] }

const search = <T = Found>(query: Record<string, string> = {}) =>
  get<T>(`restaurant/search?${new URLSearchParams(query).toString()}`)
const keysFor = async (query: Record<string, string>) =>
  keysOf((await search({ ...atCapitol, limit: '200', ...query })).body)
const keysOf = ({ restaurants }: Found) => restaurants.map(({ apiKey }) => apiKey)

const downtown = `${home.streetAddress}, ${home.city}, ${home.state} ${home.zip}`
const capitol = { latitude: 43.0747, longitude: -89.3844 }
const atCapitol = { latitude: '43.0747', longitude: '-89.3844' }

/** A word that no other restaurant has. */
const newWord = () => `w${newKey().slice(0, 12)}`

/** Returns the distance in miles by another formula than the service: the spherical law of cosines. */
function miles(one: { latitude: number; longitude: number }, other: typeof one): number {
  const [a, b, delta] = [one.latitude, other.latitude, one.longitude - other.longitude].map(
    (degrees) => (degrees * Math.PI) / 180,
  ) as [number, number, number]
  const cosine = Math.sin(a) * Math.sin(b) + Math.cos(a) * Math.cos(b) * Math.cos(delta)
  return 3958.76 * Math.acos(Math.min(1, cosine))
}

describe('place', () => {
  test('200: a street-address is located and returned', async () => {
    const { status, body } = await search({ 'street-address': downtown })
    expect(status).toBe(200)
    expectConforms(RestaurantSearch, body)
    expect(body.address).toMatchObject({
      streetAddress: home.streetAddress,
      city: 'Madison',
      state: 'WI',
      zip: '53703',
    })
    expect(keysOf(body)).toContain(seedRestaurants.aurora)
  })

  test('200: a point has precedence over an address', async () => {
    const { body } = await search({ ...atCapitol, 'street-address': 'Salina, KS 67401' })
    expect(body.address).toMatchObject(capitol)
    expect(keysOf(body)).toContain(seedRestaurants.aurora)
  })

  test('200: a restaurant found by name, without a place', async () => {
    const { body } = await search({ search: 'sushi' })
    expect(body.address).toMatchObject({ latitude: null, longitude: null })
    expect(body.restaurants.map(({ name }) => name)).toContain('Lakefold Sushi')
  })

  test('200: no restaurant is near the South Pole', async () => {
    expect((await search({ latitude: '-90', longitude: '0' })).body.restaurants).toEqual([])
  })

  test('200: open restaurants nearest first, then closed ones', async () => {
    const name = newWord()
    const north = (distance: number) => ({ name, latitude: salina.latitude + distance / 69.1 })
    const near = await aRestaurant({ ...north(0.1), hours: {} })
    const far = await aRestaurant(north(3))
    const between = await aRestaurant(north(2))
    const atSalina = { latitude: String(salina.latitude), longitude: String(salina.longitude) }
    const { body } = await search({ ...atSalina, search: name })
    expect(keysOf(body)).toEqual([between, far, near])
    expect(body.restaurants.map(({ open }) => open)).toEqual([true, true, false])
  })

  test('200: no test restaurants', async () => {
    const { body } = await search({ ...atCapitol, limit: '200' })
    expect(body.restaurants.filter(({ isTestRestaurant }) => isTestRestaurant)).toEqual([])
    expect(keysOf(body)).not.toContain(seedRestaurants.test)
  })

  test('422 address-not-found-on-map: an unknown address', async () => {
    expect(await search<Refused>({ 'street-address': 'Atlantis' })).toMatchObject({
      status: 422,
      body: {
        code: 'address-not-found-on-map',
        errors: [{ pointer: 'query/street-address', code: 'address-not-found-on-map' }],
      },
    })
  })

  test.each([
    ['latitude', 'query/longitude'],
    ['longitude', 'query/latitude'],
  ])('400 missing-field: %s without the other coordinate', async (half, pointer) => {
    expect(await search<Refused>({ [half]: '43' })).toMatchObject({
      status: 400,
      body: { code: 'missing-field', errors: [{ pointer }] },
    })
  })

  test.each([
    ['latitude', '90.1'],
    ['latitude', 'north'],
    ['latitude', 'NaN'],
    ['latitude', '1e1'],
    ['longitude', '-180.1'],
    ['longitude', 'Infinity'],
    ['street-address', 'x'.repeat(301)],
    ['street-address', 'nul\u0000'],
  ])('400 invalid-field: %s=%j', async (name, value) => {
    expect(await search<Refused>({ ...atCapitol, [name]: value })).toMatchObject({
      status: 400,
      body: { code: 'invalid-field', errors: [{ pointer: `query/${name}` }] },
    })
  })
})

describe('method', () => {
  test('pickup finds the restaurants that offer it within the radius', async () => {
    const { body } = await search({ ...atCapitol, method: 'pickup', 'pickup-radius': '1', limit: '200' })
    const seeded = await Promise.all(
      ownStack().restaurants.map(async ({ apiKey }) => (await get<Restaurant>(`restaurant/${apiKey}`)).body),
    )
    const near = seeded.filter((one) => !one.isTestRestaurant && one.offersPickup && miles(capitol, one) <= 1)
    expect(near.length).toBeGreaterThan(2)
    expect(keysOf(body).toSorted()).toEqual(near.map(({ apiKey }) => apiKey).toSorted())
  })

  test('delivery finds the restaurants with a zone around the place, at the price of that zone', async () => {
    const { body } = await search({ 'street-address': 'Madison, WI 53704', method: 'delivery' })
    expect(keysOf(body)).toContain(seedRestaurants.coarse)
    expect(keysOf(body)).not.toContain(seedRestaurants.pickupOnly)
    const found = body.restaurants.find(({ apiKey }) => apiKey === seedRestaurants.coarse)
    expect(found).toMatchObject({ deliveryMin: 20, deliveryPrice: 4.45, offersDelivery: true })
    expect(body.restaurants.filter(({ offersDelivery }) => !offersDelivery)).toEqual([])
  })

  test('both finds a restaurant outside its zones but in the pickup radius, without delivery', async () => {
    const name = newWord()
    const apiKey = await aRestaurant({ name, zones: [{ apiKey: newKey(), maxRadius: 0.1 }] })
    const { body } = await search({ latitude: '38.85', longitude: '-97.62', search: name })
    expect(body.restaurants.find((one) => one.apiKey === apiKey)).toMatchObject({ offersDelivery: false })
  })

  test.each(['fly', 'pickup,delivery'])('400 invalid-field: method=%s', async (method) => {
    expect(await search<Refused>({ method })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: 'query/method', code: 'invalid-field' }] },
    })
  })
})

describe('pickup-radius', () => {
  test('defaults to five miles, and accepts 0 and 25', async () => {
    const five = await keysFor({ method: 'pickup' })
    expect(await keysFor({ method: 'pickup', 'pickup-radius': '5' })).toEqual(five)
    expect(await keysFor({ method: 'pickup', 'pickup-radius': '0' })).toEqual([])
    expect(await keysFor({ method: 'pickup', 'pickup-radius': '25' })).toEqual(expect.arrayContaining(five))
  })

  test('counts as 25 above 25', async () => {
    const farthest = await keysFor({ method: 'pickup', 'pickup-radius': '25', limit: '200' })
    expect(await keysFor({ method: 'pickup', 'pickup-radius': '12000', limit: '200' })).toEqual(farthest)
  })

  test.each(['-1', 'far', '1,5'])('400 invalid-field: pickup-radius=%s', async (radius) => {
    expect(await search<Refused>({ 'pickup-radius': radius })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: 'query/pickup-radius' }] },
    })
  })
})

const findByText = async (text: string) => keysOf((await search({ search: text })).body)

describe('search', () => {
  const word = newWord()
  const restaurant = aRestaurant({ name: `Café ${word}`, foodTypes: ['Crêpes', 'Vegan'] }, [
    menuItem(5, { name: "Chef's Galette complète" }),
  ])
  test.each([
    ['the name', (own: string) => own],
    ['the name in upper case and without accents', (own: string) => `CAFE ${own.toUpperCase()}`],
    ['a food type', (own: string) => `${own} crepes`],
    ['the name of an item', (own: string) => `complete ${own}`],
    ['the beginning of a word', (own: string) => `${own} gal`],
    ['a word with the apostrophe of a phone', (own: string) => `${own} chef’s`],
    ['a word without its apostrophe', (own: string) => `${own} chefs`],
    ['a list in brackets', (own: string) => `[${own}, vegan]`],
    ['a list in brackets with quotation marks', (own: string) => `["${own}", "vegan"]`],
    ['words in quotation marks', (own: string) => `“${own} vegan”`],
    ['a list with null in it', (own: string) => `[null, ${own}]`],
  ])('finds a restaurant by %s', async (_, textWith) => {
    const apiKey = await restaurant
    expect(await findByText(textWith(word))).toEqual([apiKey])
  })

  test('every word has to occur', async () => {
    await restaurant
    expect(await findByText(`${word} xylophone`)).toEqual([])
  })

  test.each(['', '[]', '[null]', 'null', ' , '])('%j does not filter', async (text) => {
    expect((await findByText(text)).length).toBeGreaterThan(10)
  })

  test.each(['x'.repeat(201), 'tab\u0001'])('400 invalid-field: %j', async (text) => {
    expect(await search<Refused>({ search: text })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: 'query/search' }] },
    })
  })

  test.each(['%', '_', '\\', '(.*)', '\u{1F355}', 'ﬁ'.repeat(50)])(
    '%j is a literal word, not a pattern',
    async (text) => {
      expect((await search({ search: text })).status).toBe(200)
      expect(await findByText(`${word} ${text}`)).toEqual([])
    },
  )
})

describe('pages', () => {
  test('the Link headers lead through all restaurants, each once and in order', async () => {
    const query = { ...atCapitol, 'pickup-radius': '25' }
    const all = keysOf((await search({ ...query, limit: '200' })).body)
    const seen: string[] = []
    let next: string | undefined =
      `/publicapi/v1/restaurant/search?${new URLSearchParams({ ...query, limit: '4' }).toString()}`
    while (next !== undefined) {
      const { status, headers, body }: Awaited<ReturnType<typeof call<Found>>> = await call<Found>(next)
      expect(status).toBe(200)
      expect(body.restaurants.length).toBeLessThanOrEqual(4)
      seen.push(...keysOf(body))
      next = /^<(.+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1]
    }
    expect(seen).toEqual(all)
  })

  test('a result of one page has no Link header', async () => {
    expect((await search({ search: 'sushi' })).headers.get('link')).toBeNull()
  })

  test('an access key in the query does not appear in the Link header', async () => {
    const { status, headers } = await get<Found>(
      `restaurant/search?limit=1&access-token=${stack().accessKey}`,
      { key: null },
    )
    expect(status).toBe(200)
    expect(headers.get('link')).toContain('rel="next"')
    expect(headers.get('link')).not.toContain(stack().accessKey)
  })

  test.each([
    ['limit', '0'],
    ['limit', '201'],
    ['limit', '1.5'],
    ['limit', 'all'],
    ['cursor', 'made-up'],
    ['cursor', Buffer.from('[null,{},7]').toString('base64url')],
    ['cursor', 'x'.repeat(201)],
  ])('400 invalid-field: %s=%s', async (name, value) => {
    expect(await search<Refused>({ [name]: value })).toMatchObject({
      status: 400,
      body: { code: 'invalid-field', errors: [{ pointer: `query/${name}` }] },
    })
  })
})

test('unknown parameters are ignored, and a trailing slash is tolerated', async () => {
  expect((await get('restaurant/search/?limit=1&colour=red')).status).toBe(200)
})

test('400: a repeated limit, an unknown method and an invalid latitude, all at once', async () => {
  const { status, body } = await get<Refused>(
    'restaurant/search?limit=1&limit=2&method=fly&latitude=x&longitude=1',
  )
  expect(status).toBe(400)
  expect(body.errors.map(({ pointer }) => pointer).toSorted()).toEqual([
    'query/latitude',
    'query/limit',
    'query/method',
  ])
})

test('200: a restaurant is found immediately after it was put', async () => {
  const name = newWord()
  const apiKey = await aRestaurant({ name })
  const atSalina = { latitude: String(salina.latitude), longitude: String(salina.longitude) }
  expect(keysOf((await search({ ...atSalina, search: name })).body)).toEqual([apiKey])
})
