import { Bus } from '@platter/bus'
import { AccountsSave, ReadAttention, RetryAttention, type Attention } from '@platter/contracts'
import { createLog } from '@platter/kit'
import { expect, test } from 'vitest'
import { z } from 'zod'
import {
  anOrder,
  call,
  card,
  cast,
  eventually,
  operator,
  readOrder,
  sendOrder,
  type ProblemBody,
} from './client.ts'
import { keyOf, ownStack, setUpOwnStack } from './stack.ts'
import { expectConforms } from './conforms.ts'
import { plant, plantAge, plantOverdue, plantUnknown } from './planted.ts'

const read = async (query = '') => (await operator<Attention[]>('GET', `attention${query}`)).body
const retry = (id: string) =>
  operator<{ id: string; done: string } & ProblemBody>('POST', `attention/${id}/retry`)
const about = async (orderApiKey: string) =>
  (await read('?limit=200')).filter((one) => one.orderApiKey === orderApiKey)

async function paidByCard(): Promise<string> {
  const { body } = await sendOrder(await anOrder(cast.aurora, { payment: 'card', card: card() }))
  await eventually(
    () => readOrder(body.apiKey),
    ({ paymentState }) => paymentState === 'CHARGED',
  )
  await eventually(
    () => operator<{ saga: { state: string } }>('GET', `orders/${body.apiKey}`),
    (answer) => answer.body.saga.state !== 'running',
  )
  return body.apiKey
}

let bus: Bus
setUpOwnStack(async () => {
  bus = new Bus({ url: ownStack().urls.rabbitmq, service: 'test', log: createLog('test', 'fatal') })
  await bus.start()
  return () => bus.close()
})

const STREET = '1 Unreadable Street'
/** A message that accounts cannot read, about an order of its own. */
async function aDeadLetter(orderApiKey: string = crypto.randomUUID()): Promise<Attention> {
  const nonsense = { orderApiKey, step: 'save', undo: false, address: STREET }
  await bus.publish({ ...AccountsSave, data: z.any() }, nonsense, { requestId: 'planted' })
  const [letter] = await eventually(
    () => about(orderApiKey),
    (found) => found.length > 0,
  )
  if (!letter) throw new Error('the dead letter is not listed')
  return letter
}

test('a message that cannot be handled is listed with its reason, and without its content', async () => {
  const letter = await aDeadLetter()
  expect(letter).toMatchObject({ kind: 'dead-letter', what: 'accounts.save (save)', count: 1 })
  const all = await read()
  expectConforms(ReadAttention, all)
  expect(JSON.stringify(all)).not.toContain(STREET)
})

test('a retried dead letter is republished; one that fails again is listed under the same id', async () => {
  const { id, orderApiKey } = await aDeadLetter()
  const { status, body } = await retry(id)
  expect(status).toBe(200)
  expectConforms(RetryAttention, body)
  const [again] = await eventually(
    () => about(orderApiKey ?? ''),
    (found) => found.length > 0,
  )
  expect(again?.id).toBe(id)
})

test('a dead letter of a command of an earlier version is removed when it is retried', async () => {
  const id = crypto.randomUUID()
  await plant(
    `insert into orders.dead_letters (id, command, content, request_id, reason) values ($1, 'restaurants.transmit', '', 'r', 'x')`,
    id,
  )
  expect(await retry(`letter_${id}`)).toMatchObject({
    status: 200,
    body: { done: 'This version has no such command. The message was deleted.' },
  })
  expect(await retry(`letter_${id}`)).toMatchObject({ status: 404 })
})

test('a message that is dead-lettered repeatedly is one entry with a count', async () => {
  const { orderApiKey } = await aDeadLetter()
  for (let count = 0; count < 3; count++) await aDeadLetter(orderApiKey ?? '')
  const [one, ...others] = await eventually(
    () => about(orderApiKey ?? ''),
    ([found]) => found?.count === 4,
  )
  expect([one?.count, others]).toEqual([4, []])
})

test('a saga past its deadline is listed, and continues at once when it is retried', async () => {
  const apiKey = await paidByCard()
  await plantOverdue(apiKey)
  const [overdue] = await about(apiKey)
  expect(overdue).toMatchObject({ kind: 'overdue-saga', what: 'capture', id: `saga_${apiKey}` })
  expect(await retry(`saga_${apiKey}`)).toMatchObject({
    status: 200,
    body: { done: 'The command of the saga is republished within a second.' },
  })
  const left = await eventually(
    () => about(apiKey),
    (found) => found.length === 0,
  )
  expect(left).toEqual([])
})

test('a payment with an unknown outcome is listed, and queried when it is retried', async () => {
  const apiKey = await paidByCard()
  await plantUnknown(apiKey)
  const [unknown] = await about(apiKey)
  expect(unknown).toMatchObject({ kind: 'unknown-payment', what: 'capture', reason: 'ECONNRESET', count: 3 })
  const { status, body } = await retry(unknown?.id ?? '')
  expect([status, body.done]).toEqual([200, 'The payment processor was queried. The outcome is known now.'])
  expect(await about(apiKey)).toEqual([])
})

/** An order that lies on a console. */
const onConsole = async (): Promise<string> => (await sendOrder(await anOrder(cast.console))).body.apiKey

test('an order that its restaurant does not start is listed from half of its time on, until it is started', async () => {
  const apiKey = await onConsole()
  await plantAge(apiKey, '7 minutes')
  expect(await about(apiKey)).toEqual([])
  expect(await retry(`order_${apiKey}`)).toMatchObject({ status: 404 })

  const earliest = Math.floor(Date.now() / 1_000) - 10
  await plantAge(apiKey, '7 minutes 40 seconds')
  const latest = Math.ceil(Date.now() / 1_000) - 10
  const [unaccepted, ...others] = await about(apiKey)
  expect(others).toEqual([])
  expect(unaccepted).toMatchObject({
    id: `order_${apiKey}`,
    kind: 'order-unaccepted',
    what: `restaurant ${cast.console}`,
    count: 0,
  })
  expect(unaccepted?.since).toBeGreaterThanOrEqual(earliest)
  expect(unaccepted?.since).toBeLessThanOrEqual(latest)
  const [, cancelledAt = ''] =
    /^The restaurant has not started the order\. It is cancelled at (.+)\.$/.exec(unaccepted?.reason ?? '') ??
    []
  expect(Date.parse(cancelledAt) / 1_000).toBe((unaccepted?.since ?? 0) + 450)
  expectConforms(ReadAttention, await read('?limit=200'))
  expect(await retry(`order_${apiKey}`)).toMatchObject({
    status: 200,
    body: { done: 'Only the restaurant can start the order. Call the restaurant.' },
  })

  const key = keyOf(cast.console)
  await call(`/restaurantapi/v1/order/${apiKey}/status`, { key, body: { status: 'PREPARING' } })
  expect(await about(apiKey)).toEqual([])
  expect(await retry(`order_${apiKey}`)).toMatchObject({ status: 404 })
})

test('an order that its restaurant does not start is no longer listed once it is cancelled', async () => {
  const apiKey = await onConsole()
  await plantAge(apiKey, '14 minutes 30 seconds')
  expect(await about(apiKey)).toMatchObject([{ kind: 'order-unaccepted' }])
  await plantAge(apiKey, '15 minutes 1 second')
  const { cancellation } = await eventually(
    () => readOrder(apiKey),
    (order) => order.cancellation !== null,
  )
  expect(cancellation).toMatchObject({ cancelledBy: 'system', reason: 'restaurant-unreachable' })
  expect(await about(apiKey)).toEqual([])
})

test('the pages together are the whole list, without repetition', async () => {
  const apiKeys = [await paidByCard(), await paidByCard()]
  for (const apiKey of apiKeys) await plantOverdue(apiKey)
  const letters = [await aDeadLetter(), await aDeadLetter()]
  const unaccepted = [await onConsole(), await onConsole()]
  for (const apiKey of unaccepted) await plantAge(apiKey, '8 minutes')
  const seen: string[] = []
  let path: string | undefined = 'attention?limit=1'
  while (path !== undefined) {
    const answer: { body: Attention[]; headers: Headers } = await operator<Attention[]>('GET', path)
    seen.push(...answer.body.map(({ id }) => id))
    path = /<\/operatorapi\/v1\/(.*)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1]
  }
  expect(new Set(seen).size).toBe(seen.length)
  const ids = [
    ...letters.map((letter) => letter.id),
    ...apiKeys.map((key) => `saga_${key}`),
    ...unaccepted.map((key) => `order_${key}`),
  ]
  for (const id of ids) expect(seen).toContain(id)
  for (const apiKey of apiKeys) await retry(`saga_${apiKey}`)
})

test('404 attention-not-found: there is no open incident with this id', async () => {
  for (const id of ['nothing', 'saga_nobody', 'payment_nobody', 'letter_nobody', 'order_nobody'])
    expect(await retry(id)).toMatchObject({ status: 404, body: { code: 'attention-not-found' } })
})
