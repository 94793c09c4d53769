import { afterEach, expect, test, vi } from 'vitest'
import { NoResponse, Refused, request } from '#/api.ts'

afterEach(() => vi.unstubAllGlobals())

/** Makes the next requests return this response. */
const respond = (response: Response) => vi.stubGlobal('fetch', async () => response)

/** A body that ends with an error, as when the network is lost after the head of the response. */
const cutBody = () =>
  new ReadableStream({ start: (stream) => stream.error(new TypeError('the network was lost')) })

test('a response whose body is cut is no response, so the page keeps its last record', async () => {
  respond(new Response(cutBody()))
  await expect(request('/restaurantapi/v1/menu')).rejects.toBeInstanceOf(NoResponse)
})

test('a problem whose body is cut is still refused by its status', async () => {
  respond(new Response(cutBody(), { status: 401 }))
  const refused = await request('/console/session').catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(Refused)
  expect(refused).toMatchObject({ status: 401, message: 'The response has status 401.' })
})
