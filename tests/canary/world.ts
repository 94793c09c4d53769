import type { StackFile } from '../../dev/stack/description.ts'
import { Api } from '../support/api.ts'
import { cast } from '../support/cast.ts'
import type { Random } from '../support/random.ts'
import type { Canaries, CanaryCard } from './canaries.ts'
import type { Answer, Sender, Sent } from './sender.ts'

/** The status of the answer; several where it depends on the canary. */
export type LeadsTo = number | readonly number[]

/** A restaurant with something that can be ordered from it: looked up before any process is killed. */
type Kitchen = StackFile['restaurants'][number] & { item: string }
export type World = {
  stack: StackFile
  sender: Sender
  canaries: Canaries
  random: Random
  /** An access key that was issued in this run. */
  accessKey: string
  /** Of Aurora Slice House, which takes every order. */
  item: string
  /** One that refuses every order, and one with a console. */
  refusing: Kitchen
  console: Kitchen
  /** The `id` of the application that the key belongs to. */
  application: string
  /** Whose account the cards are added to that are refused. */
  user: string
}
export type Path = { name: string; leadsTo: LeadsTo; walk(world: World): Promise<Answer> }

export const API = '/publicapi/v1'
export const path = (name: string, leadsTo: LeadsTo, walk: Path['walk']): Path => ({ name, leadsTo, walk })

/** A world with an access key of its own. */
export async function worldOf(
  stack: StackFile,
  parts: Pick<World, 'sender' | 'canaries' | 'random'>,
): Promise<World> {
  const { sender, canaries } = parts
  const made = await operate(sender, stack, 'applications', { name: 'Canaries' })
  const application = String(made.body['id'])
  const issued = await operate(sender, stack, `applications/${application}/access-keys`, { mode: 'live' })
  const accessKey = canaries.know(String(issued.body['accessKey']), 'access key')
  const [item, refusing, console] = await Promise.all([
    new Api(() => stack).plainItem(cast.aurora),
    kitchenOf(stack, 'simulator:refuses'),
    kitchenOf(stack, 'console'),
  ])
  const world = { stack, ...parts, accessKey, application, item, refusing, console, user: '' }
  return { ...world, user: (await newUser(world)).apiKey }
}

async function kitchenOf(stack: StackFile, link: string): Promise<Kitchen> {
  const restaurant = stack.restaurants.find((one) => one.link === link)
  if (!restaurant) throw new Error(`no restaurant has the link ${link}`)
  return { ...restaurant, item: await new Api(() => stack).plainItem(restaurant.apiKey) }
}

export const operate = (sender: Sender, stack: StackFile, to: string, body: unknown) =>
  sender.send({ path: `/operatorapi/v1/${to}`, headers: { 'x-access-token': stack.operatorKey }, body })

/** Every path has a card number in its query as well: no part of a query is stored, logged or traced. */
export const send = ({ sender, accessKey, canaries }: World, { path: to, headers, ...rest }: Sent) =>
  sender.send({
    ...rest,
    path: `${API}/${to}${to.includes('?') ? '&' : '?'}cardNumber=${canaries.number('in the query')}`,
    headers: { 'x-access-token': accessKey, ...headers },
  })
export const post = (world: World, to: string, body: unknown, headers?: Record<string, string>) =>
  send(world, { path: to, body, ...(headers && { headers }) })

export const cardOf = ({ number, cvv, holder }: CanaryCard) => ({
  cardholderName: holder,
  cardholderStreetAddress: '316 W Washington Ave',
  cardholderZip: '53703',
  cvv,
  cardNumber: number,
  expirationMonth: '09',
  expirationYear: '39',
})
export const maria = { firstName: 'Maria', lastName: 'Lindqvist', phone: '608-555-2142' }
export const orderOf = ({ item }: World, card: object, more: object = {}) => ({
  restaurantApiKey: cast.aurora,
  items: [{ apiKey: item }],
  method: 'pickup',
  payment: 'card',
  card,
  recipient: maria,
  ...more,
})
export const newOrder = (world: World, what: string, more: object = {}) =>
  orderOf(world, cardOf(world.canaries.card(what)), more)
export const keyed = () => ({ 'idempotency-key': crypto.randomUUID() })
export const email = () => `canary.${crypto.randomUUID()}@example.org`

/** A user with a password that must not be found. */
export async function newUser(world: World): Promise<{ apiKey: string; email: string; password: string }> {
  const user = { ...maria, email: email(), password: world.canaries.word('password: register-user') }
  const { body } = await post(world, 'register-user', user, keyed())
  return { apiKey: String(body['apiKey']), email: user.email, password: user.password }
}

/** Sends one order under one Idempotency-Key until its outcome is known. */
export async function orderUntilKnown(world: World, what: string, tries = 80): Promise<Answer> {
  const order = newOrder(world, what)
  const headers = keyed()
  let answer = await post(world, 'send-order', order, headers)
  for (let tried = 1; tried < tries && isOpen(answer); tried++) {
    await new Promise((resolve) => setTimeout(resolve, world.random.between(50, 400)))
    answer = await post(world, 'send-order', order, headers)
  }
  return answer
}
const isOpen = ({ status }: Answer) => status === 0 || status === 409 || status === 429 || status >= 500
