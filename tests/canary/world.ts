import type { StackFile } from '../../dev/stack/description.ts'
import { Api, type Options } from '../support/api.ts'
import { card, seedRestaurants, newEmail, person, pickup } from '../support/fixtures.ts'
import { exchange } from '../support/exchange.ts'
import { isOpen, untilFinal } from '../support/order-clients.ts'
import { randomOf, type Random } from '../support/random.ts'
import type { Canaries } from './canaries.ts'

type Headers = Record<string, string>
/** A request with any headers and any body. A string or bytes are sent unchanged, any other body as JSON. */
export type Sent = Pick<Options, 'method' | 'headers' | 'body' | 'timeoutMs'>
/** `status` is 0 without a response. A lost response is no error. */
export type ClientResponse = { status: number; body: Record<string, unknown> }

/** `leadsTo` is the status of the response. */
export type Path = { name: string; leadsTo: number; walk(world: World): Promise<ClientResponse> }
export const path = (name: string, leadsTo: number, walk: Path['walk']): Path => ({ name, leadsTo, walk })

export const API = '/publicapi/v1'
export const keyed = () => ({ 'idempotency-key': crypto.randomUUID() })
const LOST: ClientResponse = { status: 0, body: {} }
const MOST_ATTEMPTS = 80

/** The platform, and a client application of it whose requests contain canaries. */
export class World {
  readonly stack: StackFile
  readonly canaries: Canaries
  readonly random: Random
  readonly #api: Api
  /** Called with each body and its response. */
  onResponse: (body: unknown, response: ClientResponse) => void = () => undefined
  /** An access key that this run issued. */
  accessKey = ''
  /** The `id` of the application that owns the access key. */
  application = ''
  /** The user for requests that add a card and are rejected. */
  user = ''
  /** An item of each restaurant of the paths, read before the first kill. */
  readonly items: Record<string, string> = {}

  private constructor(stack: StackFile, canaries: Canaries, seed: number) {
    this.stack = stack
    this.#api = new Api(() => stack)
    this.canaries = canaries
    this.random = randomOf(seed)
  }

  static async create(stack: StackFile, canaries: Canaries, seed: number): Promise<World> {
    const world = new World(stack, canaries, seed)
    const { id, accessKey } = await world.#api.newApplication('Canaries')
    world.application = id
    world.accessKey = canaries.register(accessKey, 'access key')
    for (const restaurant of [seedRestaurants.aurora, seedRestaurants.refuses, seedRestaurants.console])
      world.items[restaurant] = await world.#api.plainItem(restaurant)
    world.user = (await world.newUser()).apiKey
    return world
  }

  // Requests ---------------------------------------------------------------------------------------------------

  /** Sends a request to any path. */
  async sendTo(to: string, sent: Sent): Promise<ClientResponse> {
    const response = await this.#api
      .call<ClientResponse['body']>(to, { key: null, ...sent })
      .catch(() => LOST)
    this.onResponse(sent.body, response)
    return response
  }

  /**
   * Sends a request of the application. It also has a card number in its query, because no part of a query may be stored, logged or
   * traced.
   */
  send(to: string, { headers, ...sent }: Sent = {}): Promise<ClientResponse> {
    const secret = `cardNumber=${this.canaries.number('in the query')}`
    const withKey = { 'x-access-token': this.accessKey, ...headers }
    return this.sendTo(`${API}/${to}${to.includes('?') ? '&' : '?'}${secret}`, { ...sent, headers: withKey })
  }

  /** Sends a body, under a new idempotency key if `headers` are absent. */
  post(to: string, body: unknown, headers: Headers = keyed()): Promise<ClientResponse> {
    return this.send(to, { body, headers })
  }

  /** Sends a request of an operator. */
  operate(to: string, body: unknown, headers: Headers = {}): Promise<ClientResponse> {
    const withKey = { 'x-access-token': this.stack.operatorKey, ...headers }
    return this.sendTo(`/operatorapi/v1/${to}`, { headers: withKey, body })
  }

  /** Sends bytes that may be no valid request, and ends its side of the connection. */
  async sendBytes(bytes: string): Promise<ClientResponse> {
    await exchange(this.stack.gateway, Buffer.from(bytes), { ends: true })
    return LOST
  }

  /** Repeats one order under one idempotency key until its outcome is known. */
  async orderUntilKnown(what: string): Promise<ClientResponse> {
    const [order, headers] = [this.newOrder(what), keyed()]
    const sendOnce = async () => {
      const response = await this.post('send-order', order, headers)
      return response.status === 0 || isOpen(response.status) ? null : response
    }
    let left = MOST_ATTEMPTS
    const pauseMs = () => this.random.between(50, 400)
    return (await untilFinal(sendOnce, { pauseMs, isOver: () => left-- === 0 })) ?? LOST
  }

  // Bodies -----------------------------------------------------------------------------------------------------

  newCard(what: string, number?: string) {
    const canary = this.canaries.card(what, number)
    return { ...card(canary.number), cardholderName: canary.holder, cvv: canary.cvv }
  }

  orderWith(paidBy: unknown, more: object = {}, restaurant: string = seedRestaurants.aurora) {
    return pickup(restaurant, this.items[restaurant] ?? '', { payment: 'card', card: paidBy, ...more })
  }

  newOrder(what: string, more?: object, restaurant?: string) {
    return this.orderWith(this.newCard(what), more, restaurant)
  }

  /** The body of register-user, with a secret password. */
  newPerson(what: string) {
    return person({ email: newEmail('canary'), password: this.canaries.word(`password: ${what}`) })
  }

  /** Registers a user. */
  async newUser() {
    const user = this.newPerson('register-user')
    const { body } = await this.post('register-user', user)
    return { ...user, apiKey: String(body['apiKey']) }
  }
}
