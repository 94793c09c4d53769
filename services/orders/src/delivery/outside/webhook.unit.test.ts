import type { IncomingHttpHeaders, RequestListener } from 'node:http'
import { text } from 'node:stream/consumers'
import { cents } from '@platter/contracts'
import { sharedLookup, type AddressesOf } from '@platter/kit'
import { silentServer } from '@platter/testkit'
import { startHttpServer, type HttpServer } from '@platter/testkit/http-server'
import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { PlacedOrder } from '#/domain/order.ts'
import { outgoing, type Outgoing } from '#/delivery/outside/outgoing.ts'
import { cancelByWebhook, pingWebhook, transmitByWebhook } from '#/delivery/outside/webhook.ts'

const secret = `whsec_${Buffer.from('a secret of 24 bytes, ok').toString('base64')}`
const PUBLIC = '93.184.216.34'
const METADATA = '169.254.169.254'

const order: PlacedOrder = {
  apiKey: 'a'.repeat(48),
  id: 17,
  datePlaced: 1_800_000_000,
  status: 'PROCESSING',
  paymentState: 'AUTHORIZED',
  cancellation: null,
  refunds: [],
  dispute: null,
  reports: 'detailed',
  method: 'pickup',
  payment: 'card',
  test: false,
  restaurantApiKey: 'b'.repeat(48),
  recipientApiKey: 'c'.repeat(48),
  total: cents(1_080),
  details: {
    recipient: { firstName: 'Maria', lastName: 'Lindqvist', phone: '608-555-0142', email: null },
    items: [],
    card: {
      apiKey: 'd'.repeat(48),
      nickname: 'the household card',
      cardholderName: 'M. A. Lindqvist-Okafor',
      cardholderStreetAddress: '77 Nobodys Business',
      cardholderZip: '53999',
      lastFour: '4242',
      expirationMonth: '09',
      expirationYear: '31',
      brand: 'visa',
    },
    address: null,
    comments: 'no olives',
    subtotal: cents(1_000),
    tax: cents(80),
    tip: cents(0),
    deliveryPrice: cents(0),
  },
}
const sent = { webhookId: `order_${order.apiKey}`, order }

/** A server on this machine: the restaurant, or a service that no link may reach. */
let localServer: HttpServer
let port: number
let connections: number
let received: { headers: IncomingHttpHeaders; body: string }[]
let listener: RequestListener
const clients: Outgoing[] = []

beforeEach(async () => {
  connections = 0
  received = []
  listener = (_request, response) => response.end()
  localServer = await startHttpServer((request, response) => {
    void text(request).then((body) => {
      received.push({ headers: request.headers, body })
      listener(request, response)
    })
  })
  localServer.server.on('connection', () => (connections += 1))
  ;({ port } = localServer)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await Promise.all(clients.splice(0).map((client) => client.close()))
  await localServer.close()
})

/** A fake resolver. Each lookup returns the next list of addresses, and the last list from then on. */
function resolverOf(...lists: string[][]): AddressesOf {
  let lookups = 0
  return async () => {
    const addresses = lists[Math.min(lookups++, lists.length - 1)] ?? []
    return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  }
}

function createClient(allowed: string[] = [], addressesOf?: AddressesOf): Outgoing {
  const client = outgoing(allowed, addressesOf)
  clients.push(client)
  return client
}

const linkTo = (url: string) => ({ kind: 'webhook', url, secret, reports: 'detailed' }) as const

const transmit = ({ dispatcher }: Outgoing, url: string) =>
  transmitByWebhook({ dispatcher, link: linkTo(url) }, sent)

/** A client that may connect to the restaurant on this machine. */
const localClient = () => createClient(['127.0.0.0/8'])
const localUrl = () => `http://127.0.0.1:${port}/orders`

describe('address that is not public', () => {
  test.each([
    ['loopback', '127.0.0.1'],
    ['loopback outside 127.0.0.1', '127.9.9.9'],
    ['IPv6 loopback', '[::1]'],
    ['loopback, mapped into IPv6', '[::ffff:127.0.0.1]'],
    ['loopback, mapped and in hexadecimal', '[::ffff:7f00:1]'],
    ['loopback, compatible with IPv4', '[::127.0.0.1]'],
    ['loopback by 6to4', '[2002:7f00:1::]'],
    ['loopback by NAT64', '[64:ff9b::7f00:1]'],
    ['loopback by local-use NAT64', '[64:ff9b:1::7f00:1]'],
    ['loopback by Teredo', '[2001:0:7f00:1::]'],
    ['loopback in decimal', '2130706433'],
    ['loopback in octal', '0177.0.0.1'],
    ['loopback in hexadecimal', '0x7f.1'],
    ['loopback by name', 'localhost'],
    ['unspecified', '0.0.0.0'],
    ['unspecified, abbreviated', '0'],
    ['unspecified IPv6', '[::]'],
    ['private', '10.1.2.3'],
    ['private', '172.31.255.254'],
    ['private', '192.168.0.1'],
    ['unique local', '[fd00::1]'],
    ['carrier-grade NAT', '100.64.0.1'],
    ['link-local', '169.254.1.1'],
    ['cloud metadata', METADATA],
    ['cloud metadata by IPv6', '[fd00:ec2::254]'],
    ['IPv6 link-local', '[fe80::1]'],
    ['site-local', '[fec0::1]'],
    ['broadcast', '255.255.255.255'],
    ['multicast', '224.0.0.1'],
    ['IPv6 multicast', '[ff02::1]'],
    ['documentation', '203.0.113.9'],
    ['IPv6 documentation', '[2001:db8::1]'],
    ['benchmarking', '198.18.0.1'],
    ['unallocated', '240.0.0.1'],
    ['unallocated IPv6', '[4000::1]'],
  ])('refuses %s (%s) in a link, and opens no connection to it', async (_, host) => {
    const client = createClient()
    const url = `https://${host}:${port}/orders`
    expect(await client.faultOf(new URL(url))).toBe('leads to an address that is not public')
    expect(await transmit(client, url)).toEqual({ kind: 'not-reached', reason: 'the address is not public' })
    expect(connections).toBe(0)
  })
})

describe('host name', () => {
  test('is not connected to when it resolves to a private address after its check', async () => {
    const client = createClient([], resolverOf([PUBLIC], ['127.0.0.1']))
    const url = `https://kitchen.example:${port}/orders`
    expect(await client.faultOf(new URL(url))).toBeNull()
    expect(await transmit(client, url)).toMatchObject({ kind: 'not-reached' })
    expect(connections).toBe(0)
  })

  test.each([
    ['with one private address', [PUBLIC, '10.0.0.1']],
    ['with one private address, mapped into IPv6', [PUBLIC, '::ffff:127.0.0.1']],
    ['of a cloud metadata service', [METADATA]],
  ])('a name %s is refused and not connected to', async (_, addresses) => {
    const client = createClient([], resolverOf(addresses))
    const url = `https://kitchen.example:${port}/orders`
    expect(await client.faultOf(new URL(url))).toBe('leads to an address that is not public')
    expect(await transmit(client, url)).toMatchObject({ kind: 'not-reached' })
    expect(connections).toBe(0)
  })

  test('is accepted when its addresses are public, and when it is not registered yet', async () => {
    expect(
      await createClient([], resolverOf([PUBLIC, '2606:2800::1'])).faultOf(new URL('https://a.example')),
    ).toBeNull()
    const unknown = Object.assign(new Error('none'), { code: 'ENOTFOUND' })
    const client = createClient([], () => Promise.reject(unknown))
    expect(await client.faultOf(new URL('https://tomorrow.example'))).toBeNull()
    expect(await transmit(client, 'https://tomorrow.example')).toMatchObject({ kind: 'not-reached' })
  })

  test('that does not resolve takes one lookup, for an order and for any number of new links', async () => {
    const ends: ((error: Error) => void)[] = []
    const resolve = (_name: string, _options: object, end: (typeof ends)[number]) => ends.push(end)
    const client = createClient([], sharedLookup(resolve as never))
    const url = 'https://kitchen.example'
    const receipt = transmit(client, url)
    await expect.poll(() => ends.length).toBeGreaterThan(0)
    const faults = Promise.all(Array.from({ length: 20 }, () => client.faultOf(new URL(url))))
    for (const end of ends) end(Object.assign(new Error('none'), { code: 'EAI_AGAIN' }))
    expect(await receipt).toMatchObject({ kind: 'not-reached' })
    expect(new Set(await faults)).toEqual(new Set([null]))
    expect(ends).toHaveLength(1)
  })

  test('receives a request at its checked address in an allowed network, with its name as Host', async () => {
    const client = createClient(['127.0.0.1'], resolverOf(['127.0.0.1'], ['127.0.0.1'], ['10.0.0.1']))
    const url = `http://kitchen.internal:${port}/orders`
    expect(await client.faultOf(new URL(url))).toBeNull()
    expect(await transmit(client, url)).toEqual({ kind: 'accepted' })
    expect(received[0]?.headers['host']).toBe(`kitchen.internal:${port}`)
  })
})

describe('plain HTTP', () => {
  test.each([`http://${PUBLIC}/`, 'http://kitchen.example/'])('is refused for %s', async (url) => {
    const client = createClient(['127.0.0.0/8'], resolverOf([PUBLIC]))
    expect(await client.faultOf(new URL(url))).toBe('is not https')
    expect(await transmit(client, url)).toMatchObject({ kind: 'not-reached' })
  })

  test.each([
    ['[fd00::1]', null],
    ['[fd00::2]', 'is not https'],
    ['10.1.2.3', null],
    ['10.1.2.4', 'is not https'],
  ])('an allowed address without a prefix allows itself only: %s', async (host, fault) => {
    expect(await createClient(['fd00::1', '10.1.2.3']).faultOf(new URL(`http://${host}/`))).toBe(fault)
  })

  test('is accepted for an address in an allowed network', async () => {
    const client = localClient()
    expect(await client.faultOf(new URL(localUrl()))).toBeNull()
    expect(await transmit(client, localUrl())).toEqual({ kind: 'accepted' })
    expect(connections).toBe(1)
  })
})

test('a URL with a user name or a password is refused', async () => {
  for (const user of ['maria@', 'maria:secret@', ':secret@'])
    expect(await createClient().faultOf(new URL(`https://${user}${PUBLIC}/`))).toBe(
      'contains a user name or a password',
    )
})

describe('request', () => {
  test('has a User-Agent', async () => {
    await transmit(localClient(), localUrl())
    expect(received[0]?.headers).toMatchObject({ 'user-agent': 'Platter' })
  })

  test('passes the reference verifier, unless a bit, the id, the time or the secret is changed', async () => {
    await transmit(localClient(), localUrl())
    const [{ headers, body } = { headers: {}, body: '' }] = received
    const signed = Object.fromEntries(
      ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [name, String(headers[name])]),
    )
    expect(new Webhook(secret).verify(body, signed)).toMatchObject({
      type: 'order.placed',
      data: { apiKey: order.apiKey },
    })
    const bytes = Buffer.from(body)
    bytes[9]! ^= 1
    const other = `whsec_${Buffer.from('another secret, 24 bytes').toString('base64')}`
    const later = String(Number(signed['webhook-timestamp']) + 1)
    for (const refused of [
      () => new Webhook(secret).verify(bytes.toString(), signed),
      () => new Webhook(secret).verify(body, { ...signed, 'webhook-id': 'order_other' }),
      () => new Webhook(secret).verify(body, { ...signed, 'webhook-timestamp': later }),
      () => new Webhook(other).verify(body, signed),
    ])
      expect(refused).toThrow('No matching signature')
  })

  test('contains the order record without card data, at its placement and its cancellation', async () => {
    const client = localClient()
    await transmit(client, localUrl())
    await cancelByWebhook({ dispatcher: client.dispatcher, link: linkTo(localUrl()) }, sent)
    for (const { body } of received) {
      expect(JSON.parse(body)).toMatchObject({ data: { comments: 'no olives', total: 10.8, toCollect: 0 } })
      expect(body).not.toMatch(/4242|Okafor|household|Nobodys|53999|visa|d{48}/)
    }
    expect(received).toHaveLength(2)
  })

  test('ignores the proxy variables of the environment', async () => {
    const { url, server, close } = await startHttpServer(() => undefined)
    let connectionsToProxy = 0
    server.on('connection', (socket) => {
      connectionsToProxy += 1
      socket.destroy()
    })
    for (const name of ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY', 'ALL_PROXY'])
      vi.stubEnv(name, url)
    expect(await transmit(localClient(), localUrl())).toEqual({ kind: 'accepted' })
    expect(connectionsToProxy).toBe(0)
    await close()
  })
})

test('orders of one restaurant do not wait for each other when it accepts connections and does not respond', async () => {
  const restaurant = await silentServer()
  onTestFinished(() => restaurant.close())
  const client = localClient()
  const url = `https://127.0.0.1:${restaurant.port}/orders`
  const attempts = Array.from({ length: 5 }, () => transmit(client, url))
  expect(await Promise.race([restaurant.connections(5), ...attempts])).toBe(5)
  restaurant.close()
  await Promise.all(attempts)
})

/** Sends bytes for as long as the client reads. */
const endless: RequestListener = (_request, response) => {
  const chunk = 'x'.repeat(64 * 1024)
  const write = () => {
    while (!response.destroyed && response.write(chunk));
    if (!response.destroyed) response.once('drain', write)
  }
  write()
}

/** Sends a byte every 20 ms, without an end. */
const dripping: RequestListener = (_request, response) => {
  const timer = setInterval(() => response.write('x'), 20)
  response.on('close', () => clearInterval(timer))
}

const withStatus =
  (status: number, rest: RequestListener): RequestListener =>
  (request, response) => {
    response.writeHead(status).flushHeaders()
    rest(request, response)
  }

describe('response', () => {
  test.each([301, 302, 303, 307, 308])('a redirect with status %i is not followed', async (status) => {
    const metadata = `http://127.0.0.1:${port}/latest/meta-data`
    listener = (_request, response) => response.writeHead(status, { location: metadata }).end()
    expect(await transmit(localClient(), localUrl())).toEqual({ kind: 'unknown', reason: `status ${status}` })
    expect(received).toHaveLength(1)
  })

  test.each([
    ['NUL', 'no\u0000cheese', 'no cheese'],
    ['half of a surrogate pair', 'no cheese\uD83C', 'no cheese\uFFFD'],
    ['an escape sequence of C1', 'no\u009B31m cheese', 'no 31m cheese'],
    ['a bidirectional override', 'no \u202Echeese', 'no cheese'],
    ['a card number in invisible characters', '42424242\u200B42424242', '************4242'],
    ['no visible character', '\u0000\u202E', 'The restaurant gave no reason.'],
  ])('sanitizes the reason of a 409 with %s', async (_, reason, sanitized) => {
    listener = withStatus(409, (_request, response) => response.end(JSON.stringify({ reason })))
    expect(await transmit(localClient(), localUrl())).toEqual({ kind: 'refused', reason: sanitized })
  })

  test.each([
    ['without an end', endless],
    ['with a byte every 20 ms', dripping],
  ])('a 200 %s is accepted by its status, and closed before its end', async (_, rest) => {
    const closed = vi.fn<() => void>()
    listener = (request, response) => {
      response.on('close', closed)
      withStatus(200, rest)(request, response)
    }
    const client = localClient()
    expect(await transmit(client, localUrl())).toEqual({ kind: 'accepted' })
    expect(
      await cancelByWebhook({ dispatcher: client.dispatcher, link: linkTo(localUrl()) }, sent),
    ).toBeNull()
    await expect.poll(() => closed).toHaveBeenCalledTimes(2)
  })

  test.each([
    ['without an end', endless],
    ['with a byte every 20 ms', dripping],
    ['with invalid JSON', (_request, response) => response.end('[1, 2')],
    ['with an object as its reason', (_request, response) => response.end('{"reason":{"a":1}}')],
    [
      'with a reason of 501 characters',
      (_request, response) => response.end(JSON.stringify({ reason: 'x'.repeat(501) })),
    ],
    ['without a reason member', (_request, response) => response.end('{"stack":"at secret.ts:1"}')],
    [
      'with a body above 16 KiB',
      (_request, response) =>
        response.end(JSON.stringify({ reason: 'Closed.', more: 'x'.repeat(16 * 1024) })),
    ],
  ] satisfies [string, RequestListener][])('a 409 %s refuses the order without a reason', async (_, rest) => {
    listener = withStatus(409, rest)
    expect(await transmit(localClient(), localUrl())).toEqual({
      kind: 'refused',
      reason: 'The restaurant gave no reason.',
    })
  })

  test.each([
    ['a closed connection', (_request, response) => response.destroy(), 'other side closed'],
    ['status 401', withStatus(401, (_request, response) => response.end()), 'status 401'],
  ] satisfies [string, RequestListener, string][])(
    'a ping and a cancellation without a success return the reason: %s',
    async (_, respond, reason) => {
      listener = respond
      const target = { dispatcher: localClient().dispatcher, link: linkTo(localUrl()) }
      expect(await pingWebhook(target, 'ping_1')).toBe(reason)
      expect(await cancelByWebhook(target, sent)).toBe(reason)
    },
  )

  test.each([404, 410])(
    'a cancellation is confirmed by a %i: the restaurant has no such order',
    async (status) => {
      listener = withStatus(status, (_request, response) => response.end())
      const target = { dispatcher: localClient().dispatcher, link: linkTo(localUrl()) }
      expect(await cancelByWebhook(target, sent)).toBeNull()
      expect(await pingWebhook(target, 'ping_1'), 'a ping is not').toBe(`status ${status}`)
      expect(
        received.map(({ headers, body }) => [
          headers['webhook-id'],
          (JSON.parse(body) as { type: string }).type,
        ]),
      ).toEqual([
        [sent.webhookId, 'order.cancelled'],
        ['ping_1', 'ping'],
      ])
    },
  )

  test.each([400, 404, 410, 429, 500, 503])(
    'a %i is reported by its status alone, without its reason phrase and body',
    async (status) => {
      listener = (_request, response) => response.writeHead(status, 'Internal words').end('a stack trace')
      expect(await transmit(localClient(), localUrl())).toEqual({
        kind: 'unknown',
        reason: `status ${status}`,
      })
    },
  )
})
