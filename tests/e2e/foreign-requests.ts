import { operations, type Operation, type ProblemCode } from '@platter/contracts'
import { card, stack } from './client.ts'
import { fullOrder, type World } from './foreign-objects.ts'
import { newKey } from './own-restaurant.ts'

/*
 * Identifiers are not credentials (docs/interface.md, "Access to users and orders"). This file has every key that an operation
 * takes in its path or its body. It builds requests with a key of another tenant in that place.
 */

export type Foreign = keyof World['foreign']

/** The error code for a foreign identifier, and the kinds that are public. */
type Slot = { code: ProblemCode; open?: readonly Foreign[] }

type Entry = {
  /** Other parameters of the path, while one key of the request is tested. */
  params?: (world: World) => Record<string, string>
  body?: (world: World) => unknown
  /** The place of a key: `path/NAME`, or a pointer into the body with `*` for any element. */
  keys: Record<string, Slot>
}

/** The operation takes no identifier: its response is public, or belongs to the caller. */
const NOTHING: Entry = { keys: {} }

const user: Slot = { code: 'user-not-found' }
const order: Slot = { code: 'order-not-found' }
const restaurant: Slot = { code: 'restaurant-not-found', open: ['restaurant'] }

const orderEntry: Entry = {
  body: fullOrder,
  keys: {
    '/restaurantApiKey': restaurant,
    '/items/*/apiKey': { code: 'item-not-found' },
    '/items/*/customizationChoices/*/apiKey': { code: 'customization-unknown' },
    '/recipient/apiKey': user,
    '/card/apiKey': { code: 'card-not-found' },
    '/address/apiKey': { code: 'address-not-found' },
  },
}

export const entries: Record<string, Entry> = {
  'restaurant-search': NOTHING,
  'restaurant-search-test': NOTHING,
  'payment-methods': NOTHING,
  'restaurant-details': { keys: { 'path/apiKey': restaurant } },
  'restaurant-menu': { keys: { 'path/apiKey': restaurant } },
  'item-customizations': { keys: { 'path/apiKey': { code: 'item-not-found', open: ['item'] } } },
  'register-user': NOTHING,
  signin: NOTHING,
  user: { keys: { 'path/apiKey': user } },
  'update-user': { body: () => ({ firstName: 'Mallory' }), keys: { 'path/apiKey': user } },
  'add-card': { body: () => card(), keys: { 'path/apiKey': user } },
  'remove-card': {
    params: ({ ours }) => ({ apiKey: ours.user, cardApiKey: ours.card }),
    keys: { 'path/apiKey': user, 'path/cardApiKey': { code: 'card-not-found' } },
  },
  'add-address': {
    body: () => ({ streetAddress: '1 Main St', city: 'Salina', state: 'KS', zip: '67401' }),
    keys: { 'path/apiKey': user },
  },
  'remove-address': {
    params: ({ ours }) => ({ apiKey: ours.user, addressApiKey: ours.address }),
    keys: { 'path/apiKey': user, 'path/addressApiKey': { code: 'address-not-found' } },
  },
  'send-order': orderEntry,
  'validate-order': orderEntry,
  order: { keys: { 'path/apiKey': order } },
  'order-by-key': { keys: { 'path/idempotencyKey': order } },
  'order-status': { keys: { 'path/apiKey': order } },
  'order-statuses': { keys: { 'path/apiKey': order } },
  'cancel-order': { keys: { 'path/apiKey': order } },
  'user-orders': { keys: { 'path/apiKey': user } },
  attendance: NOTHING,
  'restaurant-orders': NOTHING,
  'restaurant-orders-stream': NOTHING,
  'restaurant-order': { keys: { 'path/apiKey': order } },
  'report-status': { body: () => ({ status: 'PREPARING' }), keys: { 'path/apiKey': order } },
  'refuse-order': { body: () => ({ reason: 'mine' }), keys: { 'path/apiKey': order } },
  'refund-restaurant-order': {
    body: () => ({ all: true, reason: 'OTHER' }),
    keys: { 'path/apiKey': order },
  },
  'own-restaurant': NOTHING,
  'own-menu': NOTHING,
  'item-availability': {
    body: () => ({ available: false }),
    keys: { 'path/apiKey': { code: 'item-not-found' } },
  },
  'choice-availability': {
    body: () => ({ available: false }),
    keys: { 'path/apiKey': { code: 'item-not-found' } },
  },
  pause: NOTHING,
  resume: NOTHING,
}

/** Returns a copy of a body with a key at a pointer; `*` is the first element. */
function withKey(body: unknown, pointer: string, key: string): unknown {
  const copy = structuredClone(body)
  const steps = pointer.slice(1).replaceAll('*', '0').split('/')
  const last = steps.pop()!
  const holder = steps.reduce(
    (value, step) => value[step] as Record<string, unknown>,
    copy as Record<string, unknown>,
  )
  holder[last] = key
  return copy
}

type Request = { path: string; body?: unknown }

/** Returns the request of an operation with a key in one of its places. Other places have the values of the entry. */
export function requestWith(world: World, { name, path }: Operation, place: string, key: string): Request {
  const { params, body } = entries[name] ?? NOTHING
  const inPath = place.startsWith('path/')
  const names = { ...params?.(world), ...(inPath && { [place.slice('path/'.length)]: key }) }
  const filled = path.replaceAll(/:(\w+)/g, (_, part: string) => names[part] ?? newKey())
  if (!body) return { path: filled }
  return { path: filled, body: inPath ? body(world) : withKey(body(world), place, key) }
}

type ClientResponse = { status: number; headers: string[]; text: string }

type Asking = { accessKey: string; accept: string; named: string; traceparent?: string }

/** Sends a request. Returns the response without the identity of the request and the key that it named. */
export async function sendRequest(
  { method }: Operation,
  { path, body }: Request,
  { accessKey, accept, named, traceparent }: Asking,
): Promise<ClientResponse> {
  const response = await fetch(`${stack().gateway}${path}`, {
    method,
    headers: {
      'x-access-token': accessKey,
      accept,
      ...(traceparent !== undefined && { traceparent }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    // A response without an end is a failure.
    signal: AbortSignal.timeout(20_000),
  })
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  if (isStream) await response.body?.cancel()
  const text = isStream ? 'a stream of events' : await response.text()
  const requestId = response.headers.get('x-request-id') ?? '-'
  return {
    status: response.status,
    headers: [...response.headers.keys()].toSorted(),
    text: text
      .replaceAll(requestId, 'REQUEST')
      .replaceAll(named, 'KEY')
      .replace(/"instance":"[^"]*"/, '"instance":""'),
  }
}

export const acceptedBy = ({ events }: Operation): string[] => [
  'application/json',
  ...(events ? ['text/event-stream'] : []),
]

export const codeOf = ({ text }: ClientResponse) => (JSON.parse(text) as { code: ProblemCode }).code

/** Every identifier of every operation, in each form of its response. */
export const places = operations.flatMap((operation) =>
  Object.entries(entries[operation.name]?.keys ?? {}).flatMap(([place, slot]) =>
    acceptedBy(operation).map((accept) => ({ operation, place, slot, accept, name: operation.name })),
  ),
)
