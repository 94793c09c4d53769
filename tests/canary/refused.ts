import { maria, newEmail } from '../support/fixtures.ts'
import { BROKEN_JSON } from '../support/broken-json.ts'
import { eventually } from '../support/eventually.ts'
import { API, keyed, path, type Path, type World } from './world.ts'

/* Paths with a malformed secret, or with a secret where no operation has one. Most end in a rejection. */

// Cards --------------------------------------------------------------------------------------------------------

type Spoil = (card: ReturnType<World['newCard']>, world: World) => unknown
const inGroups = (number: string, separator: string) => number.replaceAll(/\d{4}(?=\d)/g, `$&${separator}`)
/**
 * Cards in another form than the interface defines. Platter accepts some of them (200) for existing clients, and rejects the
 * others. An order may name a saved card, so it leads to 404 where a new card leads to 400.
 */
const SPOILT_CARDS: Record<string, [Spoil, inOrder: number, added?: number]> = {
  'as a number': [
    (card, { canaries }) => ({ ...card, cardNumber: Number(canaries.number('as a number', 16)) }),
    200,
  ],
  // JSON rounds it.
  'as a number of 19 digits': [
    (card, { canaries }) => ({ ...card, cardNumber: Number(canaries.number('as a number', 19)) }),
    400,
  ],
  'in a list': [(card) => ({ ...card, cardNumber: [card.cardNumber] }), 400],
  'in an object': [(card) => ({ ...card, cardNumber: { value: card.cardNumber } }), 400],
  'in groups': [(card) => ({ ...card, cardNumber: inGroups(card.cardNumber, ' ') }), 200],
  'with dashes': [(card) => ({ ...card, cardNumber: inGroups(card.cardNumber, '-') }), 200],
  'without the rest': [({ cardNumber, cvv }) => ({ cardNumber, cvv }), 400],
  'with a cvv of letters': [(card, { canaries }) => ({ ...card, cvv: canaries.word('cvv of letters') }), 400],
  'with a cvv that is a number': [(card) => ({ ...card, cvv: Number(card.cvv) }), 200],
  expired: [(card) => ({ ...card, expirationYear: '21' }), 402],
  'instead of a card': [({ cardNumber }) => cardNumber, 404, 400],
  'as an apiKey': [({ cardNumber }) => ({ apiKey: cardNumber }), 404, 400],
}
const spoiltCards = Object.entries(SPOILT_CARDS).flatMap(([how, [spoil, inOrder, added = inOrder]]) => [
  path(`a card number ${how}, in an order`, inOrder, (world) => {
    const card = spoil(world.newCard(`in an order ${how}`), world)
    return world.post('send-order', world.orderWith(card))
  }),
  path(`a card number ${how}, to be added`, added, (world) => {
    const card = spoil(world.newCard(`to be added ${how}`), world)
    return world.post(`user/${world.user}/add-card`, card)
  }),
])

// Bodies -------------------------------------------------------------------------------------------------------

const inForm = (json: string) => {
  const cardNumber = /"cardNumber":"(\d+)"/.exec(json)?.[1] ?? ''
  return new URLSearchParams({ json, cardNumber }).toString()
}
const beforeEnd = (json: string, further: string) => `${json.slice(0, -1)},${further}}`

type SpoilBody = (json: string, random: World['random']) => string | Buffer
/** By default 400, and JSON. */
type SpoiltBody = { spoil: SpoilBody; leadsTo?: number; type?: string }
const SPOILT_BODIES: Record<string, SpoiltBody> = {
  'with each member twice': { spoil: (json) => beforeEnd(json, `${json.slice(1, -1)},"method":1`) },
  'that is too large': { spoil: (json) => beforeEnd(json, `"more":"${'x'.repeat(70_000)}"`), leadsTo: 413 },
  'with the content type of text': { spoil: (json) => json, leadsTo: 415, type: 'text/plain' },
  'of a form': { spoil: inForm, leadsTo: 415, type: 'application/x-www-form-urlencoded' },
  ...Object.fromEntries(Object.entries(BROKEN_JSON).map(([how, spoil]) => [how, { spoil }])),
}
const spoiltBodies = Object.entries(SPOILT_BODIES).flatMap(([how, declared]) => {
  const { spoil, leadsTo = 400, type = 'application/json' } = declared
  const sendSpoilt = (world: World, to: string, body: object) => {
    const spoilt = spoil(JSON.stringify(body), world.random)
    return world.post(to, spoilt, { ...keyed(), 'content-type': type })
  }
  return [
    path(`an order ${how}`, leadsTo, (world) =>
      sendSpoilt(world, 'send-order', world.newOrder(`order ${how}`)),
    ),
    path(`a password in a body ${how}`, leadsTo, (world) => {
      const password = world.canaries.word(`password in a body ${how}`)
      return sendSpoilt(world, 'register-user', { email: 1, password })
    }),
  ]
})

// Passwords ----------------------------------------------------------------------------------------------------

/** Registration and sign-in reject each of them. A password that no user can have set still gets the usual response to a sign-in. */
const SPOILT_PASSWORDS: Record<string, [put: (word: string) => object, signin: number]> = {
  'in a list': [(word) => ({ password: [word] }), 400],
  'that is too long': [(word) => ({ password: word.repeat(8) }), 401],
  'with a control character': [(word) => ({ password: `${word}\u0007` }), 401],
  'as the e-mail address': [(word) => ({ email: word }), 400],
  'as the name of a member': [(word) => ({ [word]: 1, password: 1 }), 400],
}
const spoiltPasswords = Object.entries(SPOILT_PASSWORDS).flatMap(([how, [put, signin]]) =>
  Object.entries({ 'register-user': 400, signin }).map(([to, leadsTo]) =>
    path(`a password ${how}: ${to}`, leadsTo, (world) => {
      const spoilt = put(world.canaries.word(`password ${how}: ${to}`))
      return world.post(to, { ...maria, email: newEmail('canary'), ...spoilt }, {})
    }),
  ),
)

// Elsewhere ----------------------------------------------------------------------------------------------------

const elsewhere: Path[] = [
  path('a card number as the name of a member', 400, (world) => {
    const name = world.canaries.number('as a name')
    return world.post('send-order', world.newOrder('beside a name', { [name]: 1, recipient: {} }))
  }),
  path('a card number as the trace', 200, (world) => {
    const trace = world.canaries.number('as a trace').padStart(32, '0')
    const headers = { ...keyed(), traceparent: `00-${trace}-00f067aa0ba902b7-01x` }
    return world.post('send-order', world.newOrder('beside a trace'), headers)
  }),
  path('a card number as the access key', 401, (world) =>
    searchWith(world, world.canaries.number('as an access key')),
  ),
  path('a card number as the type of a body', 415, (world) => {
    const type = `application/${world.canaries.number('as a type')}`
    return world.post('send-order', world.newOrder('of an odd type'), { 'content-type': type })
  }),
]

/** Sends a request with an access key that may be bad. Bad keys are counted by address, so each has another one. */
function searchWith(world: World, key: string) {
  const address = `2001:db8::${world.random.between(1, 65_000).toString(16)}`
  const headers = { 'x-access-token': key, 'x-forwarded-for': address }
  return world.send('restaurant/search?limit=1', { headers })
}

// Access keys --------------------------------------------------------------------------------------------------

const accessKeys: Path[] = [
  path('an access key in the query', 200, (world) =>
    world.sendTo(`${API}/restaurant/search?access-token=${world.accessKey}`, {}),
  ),
  path('an access key that is issued twice under one key', 200, async (world) => {
    const headers = keyed()
    const issue = () => issueKey(world, headers)
    await issue()
    return issue()
  }),
  path('an access key that is revoked', 401, async (world) => {
    const { body } = await issueKey(world)
    const read = () => searchWith(world, String(body['accessKey']))
    await read()
    await world.operate(`access-keys/${String(body['id'])}/revoke`, {})
    // The gateway caches keys for one second (docs/decisions/0005-access-key-cache.md).
    return eventually(read, ({ status }) => status === 401, 5_000)
  }),
  path("an application's access key where operators are", 403, (world) =>
    world.sendTo('/operatorapi/v1/applications', { headers: { 'x-access-token': world.accessKey } }),
  ),
  path('an access key in a body', 400, (world) => {
    const { accessKey: key } = world
    return world.post('register-user', { ...maria, email: key, password: key, key }, {})
  }),
]

/** Issues an access key of the application, and registers it as a secret. */
async function issueKey(world: World, headers?: Record<string, string>) {
  const keys = `applications/${world.application}/access-keys`
  const response = await world.operate(keys, { mode: 'live' }, headers)
  world.canaries.register(String(response.body['accessKey']), 'access key that was issued')
  return response
}

export const REFUSED = [...spoiltCards, ...spoiltBodies, ...spoiltPasswords, ...elsewhere, ...accessKeys]
