import { sendTo } from '../support/api.ts'
import { seedRestaurants, maria } from '../support/fixtures.ts'
import { DECLINED } from './canaries.ts'
import { MISPLACED } from './misplaced.ts'
import { REFUSED } from './refused.ts'
import { API, keyed, path, type Path, type World } from './world.ts'

/*
 * The paths by which secrets enter Platter. Each path sends its own canaries. Its status shows that the request reached its target.
 */

// Orders -------------------------------------------------------------------------------------------------------

/** Sends the same body again under one idempotency key. Returns the second response. */
async function sendTwice(world: World, to: string, body: unknown) {
  const headers = keyed()
  await world.post(to, body, headers)
  return world.post(to, body, headers)
}

const orders: Path[] = [
  path('an order with a card', 200, (world) => world.orderUntilKnown('send-order')),
  path('an order that is checked only', 200, (world) =>
    world.post('validate-order', world.newOrder('validate-order'), {}),
  ),
  path('an order that is sent three times under one key', 200, async (world) => {
    const [order, headers] = [world.newOrder('the same order again'), keyed()]
    await Promise.all([1, 2].map(() => world.post('send-order', order, headers)))
    return world.post('send-order', order, headers)
  }),
  path('another card under the same key', 422, async (world) => {
    const headers = keyed()
    await world.post('send-order', world.newOrder('first under a key'), headers)
    return world.post('send-order', world.newOrder('second under a key'), headers)
  }),
  path('an order with a new card, and then with what was saved of it', 200, async (world) => {
    const { apiKey } = await world.newUser()
    const recipient = { apiKey }
    await world.post('send-order', world.newOrder('saved with an order', { recipient }))
    const added = await world.post(`user/${apiKey}/add-card`, world.newCard('add-card'))
    return world.post('send-order', world.orderWith({ apiKey: added.body['apiKey'] }, { recipient }))
  }),
  path('an order that the processor declines', 402, (world) =>
    world.post('send-order', world.orderWith(world.newCard('declined', world.random.pick(DECLINED)))),
  ),
  path('an order that its restaurant refuses', 422, (world) =>
    world.post('send-order', world.newOrder('refused', {}, seedRestaurants.refuses)),
  ),
  path('an order whose client does not wait', 0, (world) => {
    const body = world.newOrder('client gone')
    return world.send('send-order', { body, headers: keyed(), timeoutMs: world.random.between(1, 40) })
  }),
]

/** Also accepted with RAW_CARDS=refuse: the processor stores the number, and Platter a token. */
export const BY_TOKEN: Path = path('an order by a token of the processor', 200, async (world) => {
  const { cardNumber, cvv, ...holder } = world.newCard('at the processor')
  const headers = { 'x-access-token': world.accessKey }
  const { body } = await world.sendTo(`${API}/payment-methods`, { headers })
  const card = { cardNumber, cvv, ...holder }
  const response = await sendTo<{ token?: string }>(String(body['tokenUrl']), { body: card }).catch(
    () => null,
  )
  return world.post('send-order', world.orderWith({ ...holder, processorToken: response?.body.token }))
})

// Accounts -----------------------------------------------------------------------------------------------------

const accounts: Path[] = [
  path('a card that is added twice under one key', 200, async (world) => {
    const { apiKey } = await world.newUser()
    return sendTwice(world, `user/${apiKey}/add-card`, world.newCard('add-card'))
  }),
  path('a person who registers twice under one key', 200, (world) =>
    sendTwice(world, 'register-user', world.newPerson('registered twice')),
  ),
  path('an e-mail address that is taken', 409, async (world) => {
    const { email } = await world.newUser()
    return world.post('register-user', { ...world.newPerson('taken'), email }, {})
  }),
  path('the right password', 200, async (world) => {
    const { email, password } = await world.newUser()
    return world.post('signin', { email, password }, {})
  }),
  path('a wrong password', 401, async (world) => {
    const { email } = await world.newUser()
    return world.post('signin', { email, password: world.canaries.word('password: wrong') }, {})
  }),
  path('a new password', 200, async (world) => {
    const { apiKey } = await world.newUser()
    const password = world.canaries.word('password: update-user')
    return world.post(`update-user/${apiKey}`, { password })
  }),
]

// Secrets in free text -----------------------------------------------------------------------------------------

/** Returns a new card number in each text. */
const typed = <const Name extends string>({ canaries }: World, ...names: Name[]) =>
  Object.fromEntries(names.map((name) => [name, canaries.number(`typed: ${name}`)])) as Record<Name, string>

const typedTexts: Path[] = [
  path('card numbers typed into every text of an order', 200, async (world) => {
    const { apiKey } = await world.newUser()
    const { item, comments } = typed(world, 'item', 'comments')
    const card = { ...world.newCard('with typed texts'), ...typed(world, 'nickname') }
    const texts = {
      items: [{ apiKey: world.items[seedRestaurants.aurora], comments: `pay with ${item}` }],
      comments: `my card: ${comments.replaceAll(/\d{4}(?=\d)/g, '$& ')}`,
      recipient: { apiKey, ...typed(world, 'firstName', 'lastName', 'phone') },
    }
    return world.post('send-order', world.orderWith(card, texts))
  }),
  path('a card number typed as the e-mail address of a guest', 200, (world) => {
    const recipient = { ...maria, email: `${world.canaries.number('guest e-mail')}@example.org` }
    return world.post('send-order', world.newOrder('guest', { recipient }))
  }),
  path('a card number in a reason to refuse', 200, async (world) => {
    const order = world.newOrder('refused at the counter', {}, seedRestaurants.console)
    const { body } = await world.post('send-order', order)
    const { accessKey } = world.stack.restaurants.find(({ apiKey }) => apiKey === seedRestaurants.console)!
    return world.sendTo(`/restaurantapi/v1/order/${String(body['apiKey'])}/refuse`, {
      headers: { 'x-access-token': accessKey },
      body: { reason: `we do not take ${world.canaries.number('reason')}` },
    })
  }),
]

// Malformed requests -------------------------------------------------------------------------------------------

const HEADS = [
  'NUMBER / HTTP/1.1',
  'GET /NUMBER HTTP/9.9',
  'GET / HTTP/1.1\r\nHost: NUMBER\r\nBad Header',
  'GET / HTTP/1.1\r\nHost: x\r\nExpect: NUMBER',
]
const bytes: Path[] = [
  path('half an order', 0, (world) => {
    const body = JSON.stringify(world.newOrder('half an order'))
    const head = `POST ${API}/send-order HTTP/1.1\r\nHost: x\r\nX-Access-Token: ${world.accessKey}`
    const ofContent = 'Content-Type: application/json\r\nContent-Length: 5000'
    return world.sendBytes(`${head}\r\n${ofContent}\r\n\r\n${body}`)
  }),
  ...HEADS.map((head) =>
    path(`a card number in ${JSON.stringify(head)}`, 0, (world) =>
      world.sendBytes(`${head.replace('NUMBER', world.canaries.number(`in a head`))}\r\n\r\n`),
    ),
  ),
]

/** All paths. */
export const PATHS: readonly Path[] = [
  ...orders,
  BY_TOKEN,
  ...accounts,
  ...REFUSED,
  ...MISPLACED,
  ...typedTexts,
  ...bytes,
]
