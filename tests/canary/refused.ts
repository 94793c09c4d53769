import { operations } from '@platter/contracts'
import { z } from 'zod'
import { cast, maria } from '../support/cast.ts'
import { eventually } from '../support/eventually.ts'
import {
  API,
  cardOf,
  email,
  keyed,
  newOrder,
  operate,
  orderOf,
  path,
  post,
  send,
  type LeadsTo,
  type Path,
  type World,
} from './world.ts'

/** Paths that end in a rejection, and paths with a secret in an unexpected place. */

// Rejected requests --------------------------------------------------------------------------------------------

type Spoil = (card: ReturnType<typeof cardOf>, number: string, world: World) => unknown
/**
 * Cards in another form than the interface defines. Platter accepts some of them (200) for existing clients, and rejects the
 * others.
 */
const SPOILT_CARDS: Record<string, [Spoil, leadsTo?: LeadsTo]> = {
  // JSON rounds a number with more than 15 digits.
  'as a number': [(card, number) => ({ ...card, cardNumber: Number(number) }), [200, 400]],
  'in a list': [(card, number) => ({ ...card, cardNumber: [number] })],
  'in an object': [(card, number) => ({ ...card, cardNumber: { value: number } })],
  'in groups': [(card, number) => ({ ...card, cardNumber: number.replaceAll(/\d{4}(?=\d)/g, '$& ') }), 200],
  'with dashes': [(card, number) => ({ ...card, cardNumber: number.replaceAll(/\d{4}(?=\d)/g, '$&-') }), 200],
  'without the rest': [(card) => ({ cardNumber: card.cardNumber, cvv: card.cvv })],
  'with a cvv of letters': [
    (card, _number, { canaries }) => ({ ...card, cvv: canaries.word('cvv of letters') }),
  ],
  'with a cvv that is a number': [(card) => ({ ...card, cvv: Number(card.cvv) }), 200],
  expired: [(card) => ({ ...card, expirationYear: '21' }), 402],
  'instead of a card': [(_card, number) => number, 404],
  'as an apiKey': [(_card, number) => ({ apiKey: number }), 404],
}
const spoiltCards = Object.entries(SPOILT_CARDS).flatMap(([how, [spoil, leadsTo = 400]]) => [
  path(`a card number ${how}, in an order`, leadsTo, (world) => {
    const card = world.canaries.card(`in an order ${how}`)
    return post(
      world,
      'send-order',
      orderOf(world, spoil(cardOf(card), card.number, world) as object),
      keyed(),
    )
  }),
  path(`a card number ${how}, to be added`, leadsTo === 404 ? 400 : leadsTo, (world) => {
    const card = world.canaries.card(`to be added ${how}`)
    return post(world, `user/${world.user}/add-card`, spoil(cardOf(card), card.number, world), keyed())
  }),
])

const SPOILT_BODIES: Record<string, (json: string) => { body: string | Buffer; type?: string }> = {
  'that ends early': (json) => ({ body: json.slice(0, -4) }),
  'with something behind it': (json) => ({ body: `${json}}` }),
  'in single quotes': (json) => ({ body: json.replaceAll('"', "'") }),
  'that is a string': (json) => ({ body: JSON.stringify(json) }),
  'that is a list': (json) => ({ body: `[${json}]` }),
  'with each member twice': (json) => ({ body: `${json.slice(0, -1)},${json.slice(1, -1)},"method":1}` }),
  'with the content type of text': (json) => ({ body: json, type: 'text/plain' }),
  'of a form': (json) => ({
    body: new URLSearchParams({ json, cardNumber: /"cardNumber":"(\d+)"/.exec(json)?.[1] ?? '' }).toString(),
    type: 'application/x-www-form-urlencoded',
  }),
  'in UTF-16': (json) => ({ body: Buffer.from(json, 'utf16le') }),
  'that is no UTF-8': (json) => ({
    body: Buffer.concat([Buffer.from(json.slice(0, -1)), Buffer.from([0xff, 0x7d])]),
  }),
  'that is too large': (json) => ({ body: `${json.slice(0, -1)},"more":"${'x'.repeat(70_000)}"}` }),
}
const BODY_LEADS_TO: Record<string, number> = {
  'with the content type of text': 415,
  'of a form': 415,
  'that is too large': 413,
}
const spoiltBodies = Object.entries(SPOILT_BODIES).flatMap(([how, spoil]) => [
  path(`an order ${how}`, BODY_LEADS_TO[how] ?? 400, (world) => {
    const { body, type = 'application/json' } = spoil(JSON.stringify(newOrder(world, `order ${how}`)))
    return post(world, 'send-order', body, { ...keyed(), 'content-type': type })
  }),
  path(`a password in a body ${how}`, BODY_LEADS_TO[how] ?? 400, (world) => {
    const password = world.canaries.word(`password in a body ${how}`)
    const { body, type = 'application/json' } = spoil(JSON.stringify({ email: 1, password }))
    return post(world, 'register-user', body, { ...keyed(), 'content-type': type })
  }),
])

const SPOILT_PASSWORDS: Record<string, (word: string) => object> = {
  'in a list': (word) => ({ password: [word] }),
  'that is too long': (word) => ({ password: word.repeat(8) }),
  'with a control character': (word) => ({ password: `${word}\u0007` }),
  'as the e-mail address': (word) => ({ email: word }),
  'as the name of a member': (word) => ({ [word]: 1, password: 1 }),
}
/** A password that no user can have set still gets the usual response. */
const MAY_BE_TRIED: Record<string, boolean> = { 'that is too long': true, 'with a control character': true }
const spoiltPasswords = Object.entries(SPOILT_PASSWORDS).flatMap(([how, put]) =>
  ['register-user', 'signin'].map((to) =>
    path(`a password ${how}: ${to}`, MAY_BE_TRIED[how] && to === 'signin' ? 401 : 400, (world) =>
      post(world, to, { ...maria, email: email(), ...put(world.canaries.word(`password ${how}: ${to}`)) }),
    ),
  ),
)

// Secrets in unexpected places ---------------------------------------------------------------------------------

const forApplications = operations.filter(({ audience }) => audience === 'application')
/** The statuses of a service. With 401, 403, 429 or 5xx the request has reached no service. */
const OF_SERVICES = [200, 400, 402, 404, 409, 422]

const encoded = (text: string) => [...Buffer.from(text)].map((byte) => `%${byte.toString(16)}`).join('')

const inPaths = forApplications.flatMap(({ method, path: template }) => [
  path(`${method} ${template} with a card number as its apiKeys`, OF_SERVICES, (world) =>
    send(world, { method, path: relative(template, world.canaries.number(`in ${template}`)) }),
  ),
  path(`${method} ${template} with an encoded card number as its apiKeys`, OF_SERVICES, (world) =>
    send(world, { method, path: relative(template, encoded(world.canaries.number(`in ${template}`))) }),
  ),
  path(`${method} ${template} with an access key as its apiKeys`, OF_SERVICES, (world) =>
    send(world, { method, path: relative(template, world.accessKey) }),
  ),
])

const inQueries = forApplications.flatMap(({ method, path: template, query }) =>
  Object.keys(query instanceof z.ZodObject ? query.shape : {}).map((name) =>
    path(`${method} ${template} with secrets as ${name}`, OF_SERVICES, (world) => {
      const secret = `${world.canaries.number(`as ${name}`)} ${world.accessKey}`
      return send(world, { method, path: `${relative(template, cast.aurora)}?${name}=${encoded(secret)}` })
    }),
  ),
)

const inBodies = forApplications.flatMap(({ name, path: template, examples }) => {
  const [body] = Object.values(examples.bodies ?? {})
  const leadsTo = name === 'signin' ? [...OF_SERVICES, 401] : OF_SERVICES
  return placesIn(body).map((place) =>
    path(`${name} with a card number as ${place.join('.')}`, leadsTo, (world) => {
      const number = world.canaries.number(`${name}, ${place.join('.')}`)
      return post(world, relative(template, world.user), withValueAt(body, place, number), keyed())
    }),
  )
})

/** Returns the path of an operation behind API, with this apiKey. */
const relative = (template: string, apiKey: string) =>
  template.slice(API.length + 1).replaceAll(/:\w+/g, apiKey)

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

const HEADERS =
  'x-request-id idempotency-key tracestate baggage user-agent referer cookie authorization accept accept-language ' +
  'if-none-match last-event-id x-forwarded-for forwarded from origin x-client-address x-platter-principal b3 ' +
  'x-correlation-id expect'
const inHeaders = HEADERS.split(' ').map((name) =>
  path(`a card number and an access key in the header ${name}`, 200, (world) => {
    const value = `${world.canaries.number(`in ${name}`)}.${world.accessKey}`
    return post(world, 'send-order', newOrder(world, `beside ${name}`), { ...keyed(), [name]: value })
  }),
)
const elsewhere: Path[] = [
  path('a card number as the name of a member', 400, (world) => {
    const name = world.canaries.number('as a name')
    return post(world, 'send-order', newOrder(world, 'beside a name', { [name]: 1, recipient: {} }), keyed())
  }),
  path('a card number as the trace', 200, (world) => {
    const trace = world.canaries.number('as a trace').padStart(32, '0')
    const headers = { ...keyed(), traceparent: `00-${trace}-00f067aa0ba902b7-01x` }
    return post(world, 'send-order', newOrder(world, 'beside a trace'), headers)
  }),
  path('a card number as the access key', 401, (world) =>
    send(world, {
      path: 'restaurant/search',
      headers: {
        'x-access-token': world.canaries.number('as an access key'),
        'x-forwarded-for': anyAddress(world),
      },
    }),
  ),
  path('a card number as the type of a body', 415, (world) =>
    post(world, 'send-order', newOrder(world, 'of an odd type'), {
      'content-type': `application/${world.canaries.number('as a type')}`,
    }),
  ),
]
const anyAddress = ({ random }: World) => `2001:db8::${random.between(1, 65_000).toString(16)}`

const accessKeys: Path[] = [
  path('an access key in the query', 200, ({ send: sendOnce, accessKey }) =>
    sendOnce({ path: `${API}/restaurant/search?access-token=${accessKey}` }),
  ),
  path(
    'an access key that is issued twice under one key',
    200,
    async ({ send: sendOnce, stack, canaries, application }) => {
      const request = {
        path: `/operatorapi/v1/applications/${application}/access-keys`,
        headers: { 'x-access-token': stack.operatorKey, ...keyed() },
        body: { mode: 'live' },
      }
      const [first, again] = [await sendOnce(request), await sendOnce(request)]
      for (const { body } of [first, again])
        canaries.know(String(body['accessKey']), 'access key issued twice')
      return again
    },
  ),
  path('an access key that is revoked', 401, async (world) => {
    const { canaries } = world
    const keys = `applications/${world.application}/access-keys`
    const { body } = await operate(world, keys, { mode: 'live' })
    const key = canaries.know(String(body['accessKey']), 'access key that was revoked')
    const headers = { 'x-access-token': key, 'x-forwarded-for': anyAddress(world) }
    await send(world, { path: 'restaurant/search?limit=1', headers })
    await operate(world, `access-keys/${String(body['id'])}/revoke`, {})
    // The gateway caches keys for one second (docs/decisions/0005-access-key-cache.md).
    const read = () => send(world, { path: 'restaurant/search?limit=1', headers })
    return eventually(read, ({ status }) => status === 401, 5_000)
  }),
  path("an application's access key where operators are", 403, ({ send: sendOnce, accessKey }) =>
    sendOnce({ path: '/operatorapi/v1/applications', headers: { 'x-access-token': accessKey } }),
  ),
  path('an access key in a body', 400, (world) =>
    post(world, 'register-user', {
      ...maria,
      email: world.accessKey,
      password: world.accessKey,
      key: world.accessKey,
    }),
  ),
]

export const REFUSED: readonly Path[] = [
  ...spoiltCards,
  ...spoiltBodies,
  ...spoiltPasswords,
  ...inPaths,
  ...inQueries,
  ...inBodies,
  ...inHeaders,
  ...elsewhere,
  ...accessKeys,
]
