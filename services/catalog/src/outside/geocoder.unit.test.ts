import type { RequestListener } from 'node:http'
import { startHttpServer, type HttpServer } from '@platter/testkit/http-server'
import { afterAll, afterEach, beforeEach, describe, expect, test, vi, type MockInstance } from 'vitest'
import { createGeocoder } from '#/outside/geocoder.ts'
import { nominatim } from '#/outside/nominatim.ts'

describe('the embedded geocoder', () => {
  const geocoder = createGeocoder(undefined)

  test.each([
    ['316 W Washington Ave, Madison, WI 53703', '316 W Washington Ave', 'Madison', 'WI', '53703'],
    ['530 S Park St, Madison WI 53715-1234, United States', '530 S Park St', 'Madison', 'WI', '53715'],
    ['316 W. Washington Ave. Madison, WI, USA', '316 W. Washington Ave.', 'Madison', 'WI', ''],
    ['53703', '', 'Madison', 'WI', '53703'],
    ['53703 Madison', '', 'Madison', 'WI', '53703'],
    ['madison wisconsin', '', 'Madison', 'WI', ''],
    ['New York, New York', '', 'New York', 'NY', ''],
    ['1 A St, Lake Geneva, WI', '1 A St', 'Lake Geneva', 'WI', ''],
    ['St. Louis, MO', '', 'Saint Louis', 'MO', ''],
    ['12345 Main St, Madison, WI', '12345 Main St', 'Madison', 'WI', ''],
    ['1 New St, Madison, WI 00001', '1 New St', 'Madison', 'WI', '00001'],
  ])('finds %j', async (address, ...expected) => {
    const { streetAddress, city, state, zip } = (await geocoder.locate(address))!
    expect([streetAddress, city, state, zip]).toEqual(expected)
  })

  test.each(['', ' , ', 'Atlantis', 'WI', 'Hauptstraße 1, Berlin', '99999 Nowhere Rd'])(
    'does not find %j',
    async (address) => {
      expect(await geocoder.locate(address)).toBeNull()
    },
  )

  test('a ZIP code is located at the middle of its area, a city at its most central ZIP code', async () => {
    expect((await geocoder.locate('53703'))?.point).toEqual({ latitude: 43.0775, longitude: -89.3831 })
    const city = await geocoder.locate('New York, NY')
    expect(city?.point.latitude).toBeCloseTo(40.75, 1)
    expect(city?.point.longitude).toBeCloseTo(-73.98, 1)
  })

  test('a point belongs to the ZIP code area with the nearest middle, and is returned unchanged', () => {
    // The point and the result of a search in the original interface.
    const point = { latitude: 39.6682515, longitude: -105.096661 }
    expect(geocoder.around(point)).toEqual({
      point,
      streetAddress: '',
      city: 'Denver',
      state: 'CO',
      zip: '80227',
    })
  })

  test('a point far from every ZIP code area has no place', () => {
    expect(geocoder.around({ latitude: 48.8566, longitude: 2.3522 })).toBeNull()
    expect(geocoder.around({ latitude: 30, longitude: -40 })).toBeNull()
  })
})

const silent: RequestListener = () => {}
const dripping: RequestListener = (_, response) => {
  const drip = setInterval(() => response.write(' '), 20)
  response.on('close', () => clearInterval(drip))
}

describe('a Nominatim-compatible server', () => {
  const servers: HttpServer[] = []
  afterAll(() => Promise.all(servers.map((server) => server.close())))

  /** Ends the two seconds of a search. They do not pass otherwise, because a busy machine may respond later. */
  let late: AbortController
  let timeout: MockInstance<typeof AbortSignal.timeout>
  beforeEach(() => {
    late = new AbortController()
    timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(late.signal)
  })
  afterEach(() => timeout.mockRestore())

  async function startServer(listener: RequestListener): Promise<string> {
    const server = await startHttpServer(listener)
    servers.push(server)
    return server.url
  }

  const found = {
    lat: '43.0722',
    lon: '-89.3867',
    address: {
      house_number: '316',
      road: 'West Washington Avenue',
      city: 'Madison',
      state: 'Wisconsin',
      'ISO3166-2-lvl4': 'US-WI',
      postcode: '53703',
    },
  }

  test('gets one request for two concurrent searches of an address, and its result is used', async () => {
    const paths: string[] = []
    const url = await startServer(({ url: path }, response) => {
      paths.push(path ?? '')
      response.end(JSON.stringify([found]))
    })
    const { locate } = createGeocoder(`${url}/maps/`)
    const address = '316 W Washington Ave, Madison, WI'
    const [place] = await Promise.all([locate(address), locate(address)])
    expect(place).toEqual({
      point: { latitude: 43.0722, longitude: -89.3867 },
      streetAddress: '316 West Washington Avenue',
      city: 'Madison',
      state: 'WI',
      zip: '53703',
    })
    expect(paths).toEqual([
      '/maps/search?q=316+W+Washington+Ave%2C+Madison%2C+WI&format=jsonv2&addressdetails=1&limit=1',
    ])
  })

  test('its texts contain no control characters and no half of a surrogate pair, and have at most 100 characters', async () => {
    const url = await startServer((_, response) => {
      const address = {
        road: 'Main\u202E\u0000 St',
        village: `\uD800${'x'.repeat(200_000)}`,
        postcode: '53703\n',
      }
      response.end(JSON.stringify([{ ...found, address }]))
    })
    expect(await nominatim(url)('Main St')).toMatchObject({
      streetAddress: 'Main St',
      city: `\uFFFD${'x'.repeat(99)}`,
      zip: '53703',
    })
  })

  test('gets one request for an address without a result, and the place is null', async () => {
    let requests = 0
    const url = await startServer((_, response) => (requests++, response.end('[]')))
    const locate = nominatim(url)
    expect([await locate('Atlantis'), await locate('Atlantis')]).toEqual([null, null])
    expect(requests).toBe(1)
  })

  test.each<[string, RequestListener]>([
    ['responds with 500', (_, response) => response.writeHead(500).end('{}')],
    ['responds with HTML', (_, response) => response.end('<html>')],
    ['closes the connection', (request) => request.socket.destroy()],
    ['responds with other types', (_, response) => response.end('[{"lat":{},"lon":"here"}]')],
    ['returns a latitude of 91 degrees', (_, response) => response.end('[{"lat":"91","lon":"0"}]')],
    [
      'responds with more than 256 KiB',
      (_, response) => response.end(JSON.stringify([{ ...found, more: 'x'.repeat(256 * 1024) }])),
    ],
  ])('is service-unavailable when it %s', async (_, listener) => {
    const locate = nominatim(await startServer(listener))
    await expect(locate('Madison, WI')).rejects.toMatchObject({ code: 'service-unavailable' })
  })

  test('is service-unavailable when it redirects, and the redirect is not followed', async () => {
    let requests = 0
    const inside = await startServer((_, response) => (requests++, response.end(JSON.stringify([found]))))
    const url = await startServer((_, response) => response.writeHead(302, { location: inside }).end())
    await expect(nominatim(url)('Madison, WI')).rejects.toMatchObject({
      code: 'service-unavailable',
    })
    expect(requests).toBe(0)
  })

  test('is service-unavailable after two seconds when it sends no response or a slow one', async () => {
    let requests = 0
    const searches = [silent, dripping].map(async (listener) => {
      const url = await startServer((request, response) => {
        requests += 1
        listener(request, response)
      })
      await expect(nominatim(url)('Madison, WI')).rejects.toMatchObject({
        code: 'service-unavailable',
      })
    })
    await expect.poll(() => requests).toBe(2)
    late.abort(new DOMException('no response within two seconds', 'TimeoutError'))
    await Promise.all(searches)
    expect(timeout.mock.calls).toEqual([[2_000], [2_000]])
  })
})
