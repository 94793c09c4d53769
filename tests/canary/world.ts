import type { StackFile } from '../../dev/stack/description.ts'
import { Api } from '../support/api.ts'
import { card, cast, maria, newEmail, pickup } from '../support/cast.ts'
import { exchange } from '../support/exchange.ts'
import { requestBytes } from '../support/load/generator.ts'
import { isOpen, untilFinal } from '../support/order-clients.ts'
import type { Random } from '../support/random.ts'
import type { Canaries, CanaryCard } from './canaries.ts'

/** A request with any headers and any body. A string or bytes are sent unchanged, any other body as JSON. */
export type Sent = {
  method?: 'GET' | 'POST' | 'PUT'
  path: string
  headers?: Record<string, string>
  body?: unknown
  /** The time after which the client closes its connection without a response. */
  abortAfterMs?: number
}
/** `status` is 0 without a response. A lost response is no error. */
export type ClientResponse = { status: number; body: Record<string, unknown> }
export type Send = (sent: Sent) => Promise<ClientResponse>

/** The expected status of the response. Several are listed if the status depends on the canary. */
export type LeadsTo = number | readonly number[]

/** A restaurant with an item to order, looked up before the first kill. */
type Kitchen = StackFile['restaurants'][number] & { item: string }
export type World = {
  stack: StackFile
  send: Send
  canaries: Canaries
  random: Random
  /** An access key that this run issued. */
  accessKey: string
  /** An item of Aurora Slice House, which accepts every order. */
  item: string
  /** `refusing` rejects every order. The other restaurant has a console. */
  refusing: Kitchen
  console: Kitchen
  /** The `id` of the application that owns the access key. */
  application: string
  /** The user for requests that add a card and are rejected. */
  user: string
}
export type Path = { name: string; leadsTo: LeadsTo; walk(world: World): Promise<ClientResponse> }

export const API = '/publicapi/v1'
export const path = (name: string, leadsTo: LeadsTo, walk: Path['walk']): Path => ({ name, leadsTo, walk })

/** Returns a world with a new access key. */
export async function worldOf(
  stack: StackFile,
  parts: Pick<World, 'send' | 'canaries' | 'random'>,
): Promise<World> {
  const api = new Api(() => stack)
  const { id: application, accessKey } = await api.newApplication('Canaries')
  parts.canaries.know(accessKey, 'access key')
  const kitchenOf = async (apiKey: string): Promise<Kitchen> => ({
    ...stack.restaurants.find((one) => one.apiKey === apiKey)!,
    item: await api.plainItem(apiKey),
  })
  const [{ item }, refusing, console] = await Promise.all([
    kitchenOf(cast.aurora),
    kitchenOf(cast.refuses),
    kitchenOf(cast.console),
  ])
  const world = { stack, ...parts, accessKey, application, item, refusing, console, user: '' }
  return { ...world, user: (await newUser(world)).apiKey }
}

// Requests -----------------------------------------------------------------------------------------------------

export const sendTo =
  (gateway: string): Send =>
  async ({ abortAfterMs, ...sent }) => {
    const signal = abortAfterMs === undefined ? undefined : AbortSignal.timeout(abortAfterMs)
    const { status, body } = await exchange(gateway, bytesOf(sent), { signal })
    return { status, body: read(body) }
  }

/** Sends bytes that may be no valid request, and closes the connection. */
export const sendBytes = ({ stack }: World, bytes: string) =>
  exchange(stack.gateway, Buffer.from(bytes), { signal: AbortSignal.timeout(100) })

function bytesOf({
  path: to,
  headers = {},
  body,
  method = body === undefined ? 'GET' : 'POST',
}: Sent): Buffer {
  if (body === undefined) return Buffer.from(requestBytes({ method, path: to, headers }))
  const content = contentOf(body)
  const fields = { 'content-type': 'application/json', 'content-length': String(content.length), ...headers }
  return Buffer.concat([Buffer.from(requestBytes({ method, path: to, headers: fields })), content])
}

export const contentOf = (body: unknown): Buffer =>
  Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))

function read(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    // The response is a page or incomplete, and its content is not needed.
    return {}
  }
}

export const operate = ({ stack, send: sendOnce }: World, to: string, body: unknown) =>
  sendOnce({ path: `/operatorapi/v1/${to}`, headers: { 'x-access-token': stack.operatorKey }, body })

/** Every request also has a card number in its query, because no part of a query may be stored, logged or traced. */
export const send = ({ send: sendOnce, accessKey, canaries }: World, { path: to, headers, ...rest }: Sent) =>
  sendOnce({
    ...rest,
    path: `${API}/${to}${to.includes('?') ? '&' : '?'}cardNumber=${canaries.number('in the query')}`,
    headers: { 'x-access-token': accessKey, ...headers },
  })
export const post = (world: World, to: string, body: unknown, headers?: Record<string, string>) =>
  send(world, { path: to, body, ...(headers && { headers }) })

export const keyed = () => ({ 'idempotency-key': crypto.randomUUID() })
export const email = () => newEmail('canary')

// Orders and users ---------------------------------------------------------------------------------------------

export const cardOf = ({ number, cvv, holder }: CanaryCard) => ({
  ...card(number),
  cardholderName: holder,
  cvv,
})
export const orderOf = ({ item }: World, paidBy: object, more: object = {}) =>
  pickup(cast.aurora, item, { payment: 'card', card: paidBy, ...more })
export const newOrder = (world: World, what: string, more: object = {}) =>
  orderOf(world, cardOf(world.canaries.card(what)), more)

/** Registers a user with a secret password. */
export async function newUser(world: World): Promise<{ apiKey: string; email: string; password: string }> {
  const user = { ...maria, email: email(), password: world.canaries.word('password: register-user') }
  const { body } = await post(world, 'register-user', user, keyed())
  return { apiKey: String(body['apiKey']), email: user.email, password: user.password }
}

const MOST_ATTEMPTS = 80
export const LOST: ClientResponse = { status: 0, body: {} }

/** Repeats one order under one idempotency key until its outcome is known. */
export async function orderUntilKnown(world: World, what: string): Promise<ClientResponse> {
  const order = newOrder(world, what)
  const headers = keyed()
  const sendOnce = async () => {
    const response = await post(world, 'send-order', order, headers)
    return response.status === 0 || isOpen(response.status) ? null : response
  }
  let left = MOST_ATTEMPTS
  const pauseMs = () => world.random.between(50, 400)
  return (await untilFinal(sendOnce, { pauseMs, isOver: () => left-- === 0 })) ?? LOST
}
