import { Latitude, Longitude, sanitizeText } from '@platter/contracts'
import {
  addressesOfThirdParty,
  Cache,
  clientSpan,
  connectingBy,
  HTTP_1_ONLY,
  inSpan,
  Problem,
} from '@platter/kit'
import { Agent, request } from 'undici'
import { z } from 'zod'
import type { Place } from '#/domain/place.ts'

const TIMEOUT_MS = 2_000
/** A result has some hundred bytes. */
const MAX_RESPONSE_BYTES = 256 * 1024
/** An address that is added to the map is found after this time at the latest. */
const CACHED_MS = 60 * 60 * 1000
const MAX_CACHED = 1_000

/** UTF-16 code units. Longer than any name of a city or a road. */
const MAX_TEXT = 100
/** Volunteers write these texts. They become parts of addresses, which are stored and printed. */
const Words = z.string().overwrite((text) => sanitizeText(text, MAX_TEXT))
const Text = Words.default('')

/** The used part of a response (format jsonv2, addressdetails). Coordinates are strings. */
const Results = z.array(
  z.object({
    lat: z.coerce.number().pipe(Latitude),
    lon: z.coerce.number().pipe(Longitude),
    address: z
      .object({
        house_number: Text,
        road: Text,
        city: Words.optional(),
        town: Words.optional(),
        village: Words.optional(),
        state: Text,
        /** For example "US-WI". */
        'ISO3166-2-lvl4': Text,
        postcode: Text,
      })
      .prefault({}),
  }),
)
type Result = z.output<typeof Results>[number]

/**
 * Locates addresses with a Nominatim-compatible server and a cache. Rejects with service-unavailable if there is no valid response.
 */
export function nominatim(url: string): (address: string) => Promise<Place | null> {
  const places = new Cache<Place | null>({ maxEntries: MAX_CACHED, ttlMs: CACHED_MS })
  const agent = new Agent({
    ...HTTP_1_ONLY,
    maxResponseSize: MAX_RESPONSE_BYTES,
    connect: { lookup: connectingBy(addressesOfThirdParty) },
  })
  return (address) =>
    places.load(address, async () => {
      try {
        return await search(agent, url, address)
      } catch (cause) {
        const detail = 'Addresses cannot be looked up right now. Please try again.'
        throw new Problem('service-unavailable', detail, { cause })
      }
    })
}

async function search(agent: Agent, url: string, address: string): Promise<Place | null> {
  const query = new URLSearchParams({ q: address, format: 'jsonv2', addressdetails: '1', limit: '1' })
  const { statusCode, body } = await inSpan(
    () => clientSpan('GET', new URL(url), '/search'),
    () =>
      // Redirects are not followed, because their target is not configured.
      request(`${url.replace(/\/$/, '')}/search?${query.toString()}`, {
        // Public servers require a User-Agent. English, for the names of states.
        headers: { 'user-agent': 'Platter', 'accept-language': 'en' },
        dispatcher: agent,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      }),
  )
  const text = await body.text()
  if (statusCode !== 200) throw new Error(`the geocoder responded with status ${statusCode}`)
  const [first] = Results.parse(JSON.parse(text))
  return first ? placeFrom(first) : null
}

const placeFrom = ({ lat, lon, address }: Result): Place => ({
  point: { latitude: lat, longitude: lon },
  streetAddress: [address.house_number, address.road].filter((part) => part !== '').join(' '),
  city: address.city ?? address.town ?? address.village ?? '',
  state: /^US-(\w\w)$/.exec(address['ISO3166-2-lvl4'])?.[1] ?? address.state,
  zip: address.postcode,
})
