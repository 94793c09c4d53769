import { Latitude, Longitude } from '@platter/contracts'
import { clientSpan, inSpan, Problem } from '@platter/kit'
import { Agent, request } from 'undici'
import { z } from 'zod'
import type { Place } from '#/domain/place.ts'
import { createMemo } from '#/memo.ts'

const ANSWER_WITHIN_MS = 2_000
/** One place is some hundred bytes; whatever is larger than that is no answer. */
const ANSWER_BYTES = 256 * 1024
/** Houses do not move; an address that is new on the map is found after this time. */
const REMEMBERED_MS = 60 * 60 * 1000
const MAX_REMEMBERED = 1_000

const text = z.string().default('')

/** What we use of Nominatim's answer (format jsonv2, addressdetails); positions are text there. */
const Results = z.array(
  z.object({
    lat: z.coerce.number().pipe(Latitude),
    lon: z.coerce.number().pipe(Longitude),
    address: z
      .object({
        house_number: text,
        road: text,
        city: z.string().optional(),
        town: z.string().optional(),
        village: z.string().optional(),
        state: text,
        /** "US-WI". */
        'ISO3166-2-lvl4': text,
        postcode: text,
      })
      .prefault({}),
  }),
)
type Result = z.output<typeof Results>[number]

/** Asks a Nominatim-compatible server; remembers the last answers. Rejects with service-unavailable when it gives none. */
export function nominatim(url: string): (address: string) => Promise<Place | null> {
  const answers = createMemo<Place | null>({ ttlMs: REMEMBERED_MS, max: MAX_REMEMBERED })
  const agent = new Agent({ maxResponseSize: ANSWER_BYTES })
  return (address) =>
    answers(address, async () => {
      try {
        return await search(agent, url, address)
      } catch (cause) {
        throw new Problem(
          'service-unavailable',
          'Addresses cannot be looked up right now. Please try again.',
          {
            cause,
          },
        )
      }
    })
}

async function search(agent: Agent, url: string, address: string): Promise<Place | null> {
  const query = new URLSearchParams({ q: address, format: 'jsonv2', addressdetails: '1', limit: '1' })
  const { statusCode, body } = await inSpan(
    () => clientSpan('GET', new URL(url), '/search'),
    () =>
      // Where a redirect points was not configured: it is an answer like any other, and none for us.
      request(`${url.replace(/\/$/, '')}/search?${query.toString()}`, {
        // Public servers refuse whoever does not say who asks; English, so that states are named as on letters.
        headers: { 'user-agent': 'Platter', 'accept-language': 'en' },
        dispatcher: agent,
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      }),
  )
  const whole = await body.text()
  if (statusCode !== 200) throw new Error(`the geocoder answered ${statusCode}`)
  const [first] = Results.parse(JSON.parse(whole))
  return first ? placeFrom(first) : null
}

const placeFrom = ({ lat, lon, address }: Result): Place => ({
  point: { latitude: lat, longitude: lon },
  streetAddress: [address.house_number, address.road].filter((part) => part !== '').join(' '),
  city: address.city ?? address.town ?? address.village ?? '',
  state: /^US-(\w\w)$/.exec(address['ISO3166-2-lvl4'])?.[1] ?? address.state,
  zip: address.postcode,
})
