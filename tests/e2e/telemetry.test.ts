import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { until } from '../../dev/process/wait.ts'
import {
  anOrder,
  card,
  cardNumbers,
  seedRestaurants,
  eventually,
  get,
  home,
  operator,
  plainItems,
  post,
  sendOrder,
  stack,
} from './client.ts'
import { ownStack, setUpOwnStack } from './stack.ts'
import { isOfStore, isSql, newTrace, outline, Receiver, withoutLookUp, type Span } from './otlp.ts'
import { aRestaurant, menuItem } from './own-restaurant.ts'

const receiver = new Receiver()
const canaries = { cardNumber: '4929131478652939', cvv: '739', password: 'canary-and-its-coal-mine' }
const searched = { phone: '6085550917', email: 'canary.in.a.search@example.org' }

/** All traced requests run concurrently, because their telemetry arrives a second later. */
const paid = newTrace()
const cash = newTrace()
const retried = newTrace()
const refused = newTrace(false)
const menu = newTrace()
let responses: Awaited<ReturnType<typeof sendOrder>>[] = []

const traced = ({ traceparent }: { traceparent: string }) => ({ headers: { traceparent } })

/**
 * Waits until the gateway exports the span of a new request. While no receiver listens, its queue fills up with the spans of other
 * tests, and the SDK drops new ones.
 */
async function untilSpansArrive(): Promise<void> {
  const sent: string[] = []
  const hasArrived = async () => {
    const trace = newTrace()
    sent.push(trace.traceId)
    await get('order/none', traced(trace))
    return sent.some((id) => receiver.spans(id).some(({ service }) => service === 'gateway'))
  }
  await until(hasArrived, { what: 'Exporting new spans', withinMs: 30_000, everyMs: 50 })
}

/** Places an order whose bank waits for its customer, so that the gauges of unfinished sagas have a value. */
async function leaveSagaUnfinished(): Promise<void> {
  const challenged = { payment: 'card', card: card(cardNumbers.challenged), canAuthenticate: true }
  const { status, body } = await sendOrder(await anOrder(seedRestaurants.aurora, challenged))
  expect([status, body.status]).toEqual([200, 'PROCESSING'])
}

setUpOwnStack(async () => {
  await receiver.listen()
  await untilSpansArrive()
  const { gateway, accessKey } = stack()
  const [toAurora, toUnreachable, [item], kitchen] = await Promise.all([
    anOrder(seedRestaurants.aurora),
    anOrder(seedRestaurants.unreachable),
    plainItems(seedRestaurants.aurora),
    aRestaurant({}, [menuItem(10)]),
  ])
  const { body: user } = await post<{ apiKey: string }>(
    'register-user',
    {
      firstName: 'Maria',
      lastName: 'Lindqvist',
      phone: '608-555-0142',
      email: `maria.${crypto.randomUUID()}@example.org`,
      password: canaries.password,
    },
    traced(newTrace()),
  )
  // Sent alone: orders that are placed in the same turn share a statement, whose span is in the trace of one of them.
  const first = await sendOrder(
    {
      restaurantApiKey: seedRestaurants.aurora,
      items: [{ apiKey: item!.apiKey }, { apiKey: item!.apiKey }],
      method: 'delivery',
      payment: 'card',
      card: { apiKey: null, ...card(canaries.cardNumber), cvv: canaries.cvv },
      address: { apiKey: '', ...home },
      recipient: { apiKey: user.apiKey },
    },
    traced(paid),
  )
  const ordered = [
    sendOrder(toAurora, traced(cash)),
    sendOrder(toUnreachable, traced(retried)),
    sendOrder(toUnreachable, traced(refused)),
  ]
  // Existing libraries send the key in the query, where telemetry must not show it. No process has this menu in its cache.
  await fetch(`${gateway}/publicapi/v1/restaurant/${kitchen}/menu?access-token=${accessKey}`, traced(menu))
  // This includes a search that fails, and one whose service responds with a problem.
  const search = new URLSearchParams(searched).toString()
  for (const query of [search, `${search}&limit=0`]) await operator('GET', `orders?${query}`)
  responses = [first, ...(await Promise.all(ordered))]
  await leaveSagaUnfinished()
})
afterAll(() => receiver.close())

/** A question that takes 0.2 s on a busy machine is repeated, and processed twice. */
const isRepeated = (line: string, at: number, lines: readonly string[]) =>
  line === lines[at - 1] && /process (catalog\.quote|accounts\.resolve)\./.test(line)

const withoutStores = (spans: Span[]) =>
  outline(withoutLookUp(spans).filter((span) => !isOfStore(span))).filter((...line) => !isRepeated(...line))

/** Waits for this number of spans of a trace, and returns them. Each process exports its spans at separate times. */
const wholeTrace = (traceId: string, size: number): Promise<Span[]> =>
  eventually(
    async () => receiver.spans(traceId),
    (spans) => withoutStores(spans).length >= size,
  )
const OF_A_CARD_ORDER = 31
const OF_A_CASH_ORDER = 9
const named = (spans: Span[], service: string, name: string) =>
  spans.filter((span) => span.service === service && span.name === name)

/** Waits for these spans of orders and for the spans of the gateway, and returns the trace. */
const spansWith = (traceId: string, ...names: string[]): Promise<Span[]> =>
  eventually(
    async () => receiver.spans(traceId),
    (spans) =>
      names.every((name) => named(spans, 'orders', name).length > 0) &&
      named(spans, 'gateway', SEND_ORDER).length > 0,
  )

const SEND_ORDER = 'POST /publicapi/v1/send-order'

test('a card order is one trace over HTTP and messages, from the request to the last saga step', async () => {
  const spans = await wholeTrace(paid.traceId, OF_A_CARD_ORDER)
  expect(withoutStores(spans)).toEqual([
    'gateway: POST /publicapi/v1/send-order',
    '  gateway: POST /publicapi/v1/send-order',
    '    orders: POST /publicapi/v1/send-order',
    '      orders: send accounts.resolve.v2',
    '        accounts: process accounts.resolve.v2',
    '      orders: send catalog.quote.v2',
    '        catalog: process catalog.quote.v2',
    '      orders: POST /internal/tokenize',
    '        payments: POST /internal/tokenize',
    '          payments: processor tokenize',
    '      orders: saga place',
    '        orders: send payments.authorize.v2',
    '          payments: process payments.authorize.v2',
    '            payments: processor authorize',
    '            payments: send orders.saga-answer.v2',
    '              orders: process orders.saga-answer.v2',
    '                orders: saga authorize',
    '                  orders: transmit webhook',
    '                    orders: POST',
    '                  orders: saga transmit',
    '                    orders: send payments.capture.v2',
    '                      payments: process payments.capture.v2',
    '                        payments: processor capture',
    '                        payments: send orders.saga-answer.v2',
    '                          orders: process orders.saga-answer.v2',
    '                            orders: saga capture',
    '                              orders: send accounts.save.v2',
    '                                accounts: process accounts.save.v2',
    '                                  accounts: send orders.saga-answer.v2',
    '                                    orders: process orders.saga-answer.v2',
    '                                      orders: saga save',
  ])
})

test('the trace has SQL spans with a summary of statements and tables', async () => {
  const spans = await wholeTrace(paid.traceId, OF_A_CARD_ORDER)
  const [place] = named(spans, 'orders', 'saga place')
  const [commit] = spans.filter((span) => isSql(span) && span.parentSpanId === place?.spanId)
  expect(commit?.attributes).toMatchObject({
    'db.query.summary':
      'insert orders, select restaurant_links, insert order_statuses, insert deliveries, insert idempotency_keys, insert sagas',
    'db.namespace': expect.any(String) as string,
    'server.address': new URL(ownStack().urls.postgres).hostname,
  })
  const resolved = named(spans, 'accounts', 'process accounts.resolve.v2')[0]
  expect(spans.filter((span) => isSql(span) && span.parentSpanId === resolved?.spanId)).toHaveLength(1)
})

test('spans have the attributes of the semantic conventions and the apiKey of the order', async () => {
  const spans = await wholeTrace(paid.traceId, OF_A_CARD_ORDER)
  const orderApiKey = responses[0]!.body.apiKey
  expect(named(spans, 'orders', SEND_ORDER)[0]).toMatchObject({
    kind: 2,
    attributes: {
      'http.request.method': 'POST',
      'http.route': '/publicapi/v1/send-order',
      'http.response.status_code': 200,
      'platter.order.api_key': orderApiKey,
    },
  })
  expect(named(spans, 'payments', 'process payments.authorize.v2')[0]).toMatchObject({
    kind: 5,
    attributes: {
      'messaging.system': 'rabbitmq',
      'messaging.operation.type': 'process',
      'messaging.destination.name': 'payments.authorize.v2',
      'platter.order.api_key': orderApiKey,
      'platter.saga.step': 'authorize',
      'platter.saga.version': 0,
      'platter.saga.attempt': 1,
    },
  })
  expect(receiver.resources).toContainEqual(
    expect.objectContaining({
      'service.name': 'orders',
      'service.version': expect.any(String) as string,
      'service.instance.id': expect.any(String) as string,
    }),
  )
})

test('the trace of a cash order has no spans of payments', async () => {
  const spans = await wholeTrace(cash.traceId, OF_A_CASH_ORDER)
  expect(withoutStores(spans).map((line) => line.trim())).toEqual([
    'gateway: POST /publicapi/v1/send-order',
    'gateway: POST /publicapi/v1/send-order',
    'orders: POST /publicapi/v1/send-order',
    'orders: send catalog.quote.v2',
    'catalog: process catalog.quote.v2',
    'orders: saga place',
    'orders: transmit webhook',
    'orders: POST',
    'orders: saga transmit',
  ])
})

test('a delivery retry of the sweeper is in the trace of its order, linked to the span of commit 1', async () => {
  const spans = await spansWith(retried.traceId, 'delivery retry', 'saga transmit')
  const [place] = named(spans, 'orders', 'saga place')
  const [retry] = named(spans, 'orders', 'delivery retry')
  expect(retry).toMatchObject({
    parentSpanId: place!.spanId,
    links: [{ traceId: retried.traceId, spanId: place!.spanId }],
    attributes: {
      'platter.order.api_key': place!.attributes['platter.order.api_key'],
      'platter.delivery.attempt': 2,
    },
  })
  const children = spans.filter((span) => span.parentSpanId === retry!.spanId)
  // The deadline (`stack.setup.ts`) has expired by then, so the delivery of the order has ended.
  expect(children.map(({ name }) => name)).toContain('saga transmit')
})

test('a request that fails with 502 exports its spans even if its trace is not sampled', async () => {
  const spans = await spansWith(refused.traceId, SEND_ORDER)
  expect(spans.map(({ service, name }) => `${service}: ${name}`).toSorted()).toEqual([
    `gateway: ${SEND_ORDER}`,
    `orders: ${SEND_ORDER}`,
  ])
  for (const { status, attributes, startTimeUnixNano, endTimeUnixNano } of spans) {
    expect(status.code).toBe(2)
    expect(attributes['error.type']).toBe('502')
    expect(Number(BigInt(endTimeUnixNano) - BigInt(startTimeUnixNano)) / 1e9).toBeGreaterThan(1)
  }
})

test('a failed request without a traceparent exports its spans in the trace of its request id', async () => {
  const { status, headers } = await sendOrder(await anOrder(seedRestaurants.unreachable))
  const traceId = headers.get('x-request-id')!.replaceAll('-', '')
  expect([status, headers.get('x-trace-id')]).toEqual([502, traceId])
  const spans = await spansWith(traceId, SEND_ORDER)
  expect(spans.map(({ service, name }) => `${service}: ${name}`).toSorted()).toEqual([
    `gateway: ${SEND_ORDER}`,
    `orders: ${SEND_ORDER}`,
  ])
})

test('a response has x-request-id, and x-trace-id if its trace is exported', async () => {
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 502, 502])
  expect(responses.map(({ headers }) => headers.get('x-trace-id'))).toEqual(
    [paid, cash, retried, refused].map(({ traceId }) => traceId),
  )
  const unsampled = await get('restaurant/search-test', { key: null })
  expect(unsampled.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  expect(unsampled.headers.get('x-trace-id')).toBeNull()
})

test('a menu request has a span for the Redis GET, without the cache key', async () => {
  const spans = await eventually(
    async () => receiver.spans(menu.traceId),
    (found) => found.some(({ name }) => name === 'GET'),
  )
  const [command] = named(spans, 'catalog', 'GET')
  expect(command?.attributes).toMatchObject({ 'db.system.name': 'redis', 'db.operation.name': 'GET' })
  expect(Object.keys(command!.attributes)).not.toContain('db.query.text')
})

/** Returns the logs of the five services. */
async function readLogs(): Promise<string[]> {
  const folder = ownStack().data.logs
  const files = (await readdir(folder)).filter((name) =>
    /^(gateway|catalog|accounts|orders|payments)\.log$/.test(name),
  )
  expect(files).toHaveLength(5)
  return Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')))
}

type Line = Record<string, unknown> & { service: string }

test('each service logs one line per request, in the trace of the request', async () => {
  const lines = await eventually(
    async () =>
      (await readLogs())
        .flatMap((text) => text.split('\n'))
        .filter((line) => line.includes(paid.traceId) && line.includes('"msg":"request"'))
        .map((line) => JSON.parse(line) as Line)
        .filter(({ route }) => route !== '/internal/resolve-access-key'),
    (found) => found.length >= 3,
  )
  expect(lines.map(({ service }) => service).toSorted()).toEqual(['gateway', 'orders', 'payments'])
  // The line contains the id of the access key for an investigation, but never the key.
  expect(lines.find(({ service }) => service === 'gateway')?.['accessKeyId']).toMatch(/^[0-9a-f]{48}$/)
  const {
    level: _1,
    time: _2,
    pid: _3,
    span_id: _4,
    ...fields
  } = lines.find(({ service }) => service === 'orders')!
  expect(fields).toEqual({
    service: 'orders',
    trace_id: paid.traceId,
    requestId: responses[0]!.headers.get('x-request-id'),
    orderApiKey: responses[0]!.body.apiKey,
    method: 'POST',
    route: '/publicapi/v1/send-order',
    status: 200,
    ms: expect.any(Number) as number,
    msg: 'request',
  })
})

test.each([
  ['gateway', 'http.server.request.duration'],
  ['orders', 'platter.saga.duration'],
  ['orders', 'platter.saga.in_flight'],
  ['orders', 'platter.saga.oldest'],
  ['orders', 'platter.queue.messages'],
  ['orders', 'platter.dead_letters'],
  ['orders', 'platter.incidents'],
  ['orders', 'platter.permits.in_use'],
  ['gateway', 'platter.permits.limit'],
  ['gateway', 'http.client.request.duration'],
  ['gateway', 'nodejs.eventloop.delay.p99'],
  ['catalog', 'v8js.memory.heap.used'],
  ['payments', 'platter.processor.calls'],
  ['catalog', 'db.client.connection.count'],
])('%s exports the metric %s', async (service, name) => {
  await expect.poll(() => [...receiver.metrics]).toContain(`${service} ${name}`)
})

test('telemetry and logs contain no card number, password, access key or search term', async () => {
  await wholeTrace(paid.traceId, OF_A_CARD_ORDER)
  const { cardNumber, password } = canaries
  const { accessKey, operatorKey } = stack()
  for (const text of [receiver.text, ...(await readLogs())])
    for (const secret of [
      cardNumber,
      password,
      accessKey,
      operatorKey,
      'access-token=',
      ...Object.values(searched),
    ])
      expect(text.includes(secret) ? secret : 'nothing').toBe('nothing')
  // Any number may contain three or four digits. A cvv as a separate value would have this form.
  expect(receiver.text).not.toContain(`"stringValue":"${canaries.cvv}"`)
  expect(receiver.text).not.toContain('cvv')
})
