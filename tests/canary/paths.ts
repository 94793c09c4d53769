import { maria } from '../support/cast.ts'
import { DECLINED } from './canaries.ts'
import { REFUSED } from './refused.ts'
import {
  API,
  cardOf,
  email,
  keyed,
  LOST,
  newOrder,
  newUser,
  orderOf,
  orderUntilKnown,
  path,
  post,
  send,
  sendBytes,
  type Path,
} from './world.ts'

/*
 * The paths by which secrets enter Platter. Each path sends its own canaries. Its expected status shows that the request reached
 * its target.
 */

// Successful requests ------------------------------------------------------------------------------------------

const from = ({ apiKey, item }: { apiKey: string; item: string }) => ({
  restaurantApiKey: apiKey,
  items: [{ apiKey: item }],
})

const orders: Path[] = [
  path('an order with a card', 200, (world) => orderUntilKnown(world, 'send-order')),
  path('an order that is checked only', 200, (world) =>
    post(world, 'validate-order', newOrder(world, 'validate-order')),
  ),
  path('an order that is sent three times under one key', 200, async (world) => {
    const order = newOrder(world, 'the same order again')
    const headers = keyed()
    await Promise.all([post(world, 'send-order', order, headers), post(world, 'send-order', order, headers)])
    return post(world, 'send-order', order, headers)
  }),
  path('another card under the same key', 422, async (world) => {
    const headers = keyed()
    await post(world, 'send-order', newOrder(world, 'first under a key'), headers)
    return post(world, 'send-order', newOrder(world, 'second under a key'), headers)
  }),
  path('an order with a new card, and then with what was saved of it', 200, async (world) => {
    const { apiKey } = await newUser(world)
    const recipient = { apiKey }
    await post(world, 'send-order', newOrder(world, 'saved with an order', { recipient }), keyed())
    const added = await post(
      world,
      `user/${apiKey}/add-card`,
      cardOf(world.canaries.card('add-card')),
      keyed(),
    )
    const saved = orderOf(world, { apiKey: added.body['apiKey'] }, { recipient })
    return post(world, 'send-order', saved, keyed())
  }),
  path('an order that the processor declines', 402, (world) => {
    const card = world.canaries.card('declined', world.random.pick(DECLINED))
    return post(world, 'send-order', orderOf(world, cardOf(card)), keyed())
  }),
  path('an order that its restaurant refuses', 422, (world) =>
    post(world, 'send-order', newOrder(world, 'refused', from(world.refusing)), keyed()),
  ),
  path('an order whose client does not wait', 0, (world) =>
    send(world, {
      path: 'send-order',
      body: newOrder(world, 'client gone'),
      headers: keyed(),
      abortAfterMs: world.random.between(1, 40),
    }),
  ),
]

/** Also accepted with RAW_CARDS=refuse: the processor stores the number, and Platter a token. */
export const BY_TOKEN: Path = path('an order by a token of the processor', 200, async (world) => {
  const card = cardOf(world.canaries.card('at the processor'))
  const { body } = await world.send({
    path: `${API}/payment-methods`,
    headers: { 'x-access-token': world.accessKey },
  })
  const response = await fetch(String(body['tokenUrl']), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(card),
  }).catch(() => null)
  const { token } = ((await response?.json().catch(() => null)) ?? {}) as { token?: string }
  const { cardNumber: _number, cvv: _cvv, ...holder } = card
  return post(world, 'send-order', orderOf(world, { ...holder, processorToken: token }), keyed())
})

const accounts: Path[] = [
  path('a card that is added twice under one key', 200, async (world) => {
    const { apiKey } = await newUser(world)
    const card = cardOf(world.canaries.card('add-card'))
    const headers = keyed()
    await post(world, `user/${apiKey}/add-card`, card, headers)
    return post(world, `user/${apiKey}/add-card`, card, headers)
  }),
  path('a person who registers twice under one key', 200, async (world) => {
    const person = { ...maria, email: email(), password: world.canaries.word('password: registered twice') }
    const headers = keyed()
    await post(world, 'register-user', person, headers)
    return post(world, 'register-user', person, headers)
  }),
  path('an e-mail address that is taken', 409, async (world) => {
    const { email: taken } = await newUser(world)
    return post(world, 'register-user', {
      ...maria,
      email: taken,
      password: world.canaries.word('password: taken'),
    })
  }),
  path('the right password', 200, async (world) => {
    const { email: known, password } = await newUser(world)
    return post(world, 'signin', { email: known, password })
  }),
  path('a wrong password', 401, async (world) => {
    const { email: known } = await newUser(world)
    return post(world, 'signin', { email: known, password: world.canaries.word('password: wrong') })
  }),
  path('a new password', 200, async (world) => {
    const { apiKey } = await newUser(world)
    const password = world.canaries.word('password: update-user')
    return post(world, `update-user/${apiKey}`, { password }, keyed())
  }),
]

// Secrets in free text -----------------------------------------------------------------------------------------

const typed: Path[] = [
  path('card numbers typed into every text of an order', 200, async (world) => {
    const { canaries, item } = world
    const typing = (where: string) => canaries.number(`typed: ${where}`)
    const { apiKey } = await newUser(world)
    const card = { ...cardOf(canaries.card('with typed texts')), nickname: typing('nickname') }
    const texts = {
      items: [{ apiKey: item, comments: `pay with ${typing('item')}` }],
      comments: `my card: ${typing('comments').replaceAll(/\d{4}(?=\d)/g, '$& ')}`,
      recipient: {
        apiKey,
        firstName: typing('first name'),
        lastName: typing('last name'),
        phone: typing('phone'),
      },
    }
    return post(world, 'send-order', orderOf(world, card, texts), keyed())
  }),
  path('a card number typed as the e-mail address of a guest', 200, (world) => {
    const guest = { ...maria, email: `${world.canaries.number('guest e-mail')}@example.org` }
    return post(world, 'send-order', newOrder(world, 'guest', { recipient: guest }), keyed())
  }),
  path('card numbers typed into an address', 200, async (world) => {
    const { apiKey } = await newUser(world)
    const typing = (where: string) => world.canaries.number(`typed: ${where}`)
    return post(world, `user/${apiKey}/add-address`, {
      streetAddress: `316 W Washington Ave ${typing('street')}`,
      aptNumber: typing('apartment'),
      city: 'Madison',
      state: 'WI',
      zip: '53703',
    })
  }),
  path('card numbers typed into an account', 200, async (world) => {
    const { apiKey } = await newUser(world)
    const typing = (where: string) => world.canaries.number(`typed: ${where}`)
    return post(
      world,
      `update-user/${apiKey}`,
      { firstName: typing('account'), phone: typing('account') },
      keyed(),
    )
  }),
  path('a card number in a reason to refuse', 200, async (world) => {
    const kitchen = world.console
    const order = newOrder(world, 'refused at the counter', from(kitchen))
    const { body } = await post(world, 'send-order', order, keyed())
    return world.send({
      path: `/restaurantapi/v1/order/${String(body['apiKey'])}/refuse`,
      headers: { 'x-access-token': kitchen.accessKey },
      body: { reason: `we do not take ${world.canaries.number('reason')}` },
    })
  }),
]

// Malformed requests -------------------------------------------------------------------------------------------

const bytes: Path[] = [
  path('half an order', 0, async (world) => {
    const body = JSON.stringify(newOrder(world, 'half an order'))
    const head = `POST ${API}/send-order HTTP/1.1\r\nHost: x\r\nX-Access-Token: ${world.accessKey}`
    await sendBytes(world, `${head}\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n${body}`)
    return LOST
  }),
  path('a card number where a request line belongs', 0, async (world) => {
    const { canaries } = world
    await sendBytes(world, `${canaries.number('as a method')} / HTTP/1.1\r\n\r\n`)
    await sendBytes(world, `GET /${canaries.number('in a line')} HTTP/9.9\r\n\r\n`)
    await sendBytes(world, `GET / HTTP/1.1\r\nHost: ${canaries.number('as a host')}\r\nBad Header\r\n\r\n`)
    return LOST
  }),
]

/** All paths. */
export const PATHS: readonly Path[] = [...orders, BY_TOKEN, ...accounts, ...REFUSED, ...typed, ...bytes]
