import { operations, type PublicOperation } from '@platter/contracts'
import { z } from 'zod'
import { seedRestaurants, newEmail } from '../support/fixtures.ts'
import { API, keyed, path, type World } from './world.ts'

/* Requests with a secret in an unexpected place, derived from the contracts. */

const forApplications = operations.filter(({ audience }) => audience === 'application')

/** Returns the path of an operation behind API, with this apiKey. */
const relative = (template: string, apiKey: string) =>
  template.slice(API.length + 1).replaceAll(/:\w+/g, apiKey)
const encoded = (text: string) => [...Buffer.from(text)].map((byte) => `%${byte.toString(16)}`).join('')

// Paths and queries --------------------------------------------------------------------------------------------

/** No object has such an apiKey (404). A request without its body fails earlier, in the gateway's parser (400). */
function statusWithoutObject({ body, path: template }: PublicOperation): number {
  if (body?.safeParse({}).success === false) return 400
  return template.includes(':') ? 404 : 200
}

const IN_PATHS: Record<string, (world: World, where: string) => string> = {
  'a card number': ({ canaries }, where) => canaries.number(where),
  'an encoded card number': ({ canaries }, where) => encoded(canaries.number(where)),
  'an access key': ({ accessKey }) => accessKey,
}
const inPaths = forApplications.flatMap((operation) =>
  Object.entries(IN_PATHS).map(([what, secretOf]) =>
    path(`${operation.name} with ${what} as its apiKeys`, statusWithoutObject(operation), (world) => {
      const to = relative(operation.path, secretOf(world, `in ${operation.path}`))
      return world.send(to, { method: operation.method })
    }),
  ),
)

/** The status of a request with secrets in this parameter; 400 in any other. */
const QUERY_LEADS_TO: Record<string, number> = {
  'restaurant-search search': 200,
  'restaurant-search-test search': 200,
  // The location of a restaurant's details is ignored if it is unknown; a search needs it.
  'restaurant-details street-address': 200,
  'restaurant-search street-address': 422,
  'restaurant-search-test street-address': 422,
  // The order is unknown.
  'order-statuses lastEventId': 404,
}
const inQueries = forApplications.flatMap(({ name, method, path: template, query }) =>
  Object.keys(query instanceof z.ZodObject ? query.shape : {}).map((parameter) =>
    path(`${name} with secrets as ${parameter}`, QUERY_LEADS_TO[`${name} ${parameter}`] ?? 400, (world) => {
      const secret = encoded(`${world.canaries.number(`as ${parameter}`)} ${world.accessKey}`)
      return world.send(`${relative(template, seedRestaurants.aurora)}?${parameter}=${secret}`, { method })
    }),
  ),
)

// Bodies -------------------------------------------------------------------------------------------------------

/** The status of a request with a card number in this place of its body; 200 in any other, where it is masked. */
const BODY_LEADS_TO: Record<string, number> = {
  cvv: 400,
  email: 400,
  expirationMonth: 400,
  expirationYear: 400,
  method: 400,
  payment: 400,
  restaurantApiKey: 404,
  'items.0.apiKey': 404,
  'items.1.apiKey': 404,
  'items.1.customizationChoices.0.apiKey': 422,
}
const inBodies = forApplications.flatMap(({ name, path: template, examples }) => {
  const [example] = Object.values(examples.bodies ?? {})
  return placesIn(example).map((place) => {
    const where = place.join('.')
    // No user has this e-mail address or password.
    const leadsTo = name === 'signin' ? 401 : (BODY_LEADS_TO[where] ?? 200)
    return path(`${name} with a card number as ${where}`, leadsTo, (world) => {
      const number = world.canaries.number(`${name}, ${where}`)
      const ofNewUser = name === 'register-user' && { email: newEmail('canary') }
      const body = withValueAt({ ...(example as object), ...ofNewUser }, place, number)
      return world.post(relative(template, world.user), body)
    })
  })
})

/** Returns the place of each text, number and boolean of a value. */
function placesIn(value: unknown, place: readonly string[] = []): (readonly string[])[] {
  if (value === undefined) return []
  if (typeof value !== 'object' || value === null) return [place]
  return Object.entries(value).flatMap(([name, inner]) => placesIn(inner, [...place, name]))
}

/** Returns a copy with the number at this place, as a number in place of a number. */
function withValueAt(value: unknown, [name, ...rest]: readonly string[], number: string): unknown {
  if (name === undefined) return typeof value === 'number' ? Number(number) : number
  const copy = structuredClone(value) as Record<string, unknown>
  copy[name] = withValueAt(copy[name], rest, number)
  return copy
}

// Headers ------------------------------------------------------------------------------------------------------

const HEADERS =
  'x-request-id idempotency-key tracestate baggage user-agent referer cookie authorization accept accept-language ' +
  'if-none-match last-event-id x-forwarded-for forwarded from origin x-client-address x-platter-principal b3 ' +
  'x-correlation-id'
const inHeaders = HEADERS.split(' ').map((name) =>
  path(`a card number and an access key in the header ${name}`, 200, (world) => {
    const value = `${world.canaries.number(`in ${name}`)}.${world.accessKey}`
    return world.post('send-order', world.newOrder(`beside ${name}`), { ...keyed(), [name]: value })
  }),
)

export const MISPLACED = [...inPaths, ...inQueries, ...inBodies, ...inHeaders]
