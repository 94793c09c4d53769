import { operations, type Operation, type ProblemCode, type PublicOperation } from '@platter/contracts'
import { stack } from './client.ts'
import { fullOrder, type World } from './foreign-objects.ts'

/*
 * Identifiers are not credentials (docs/interface.md, "Access to users and orders"). This file finds every key that an operation
 * takes in its path or its body. It builds requests with a key of another tenant in that place.
 */

export type Foreign = keyof World['foreign']
type Kind = 'user' | 'card' | 'address' | 'order' | 'restaurant' | 'item' | 'choice'

/** The kinds of keys by the part of a path before them. */
const AFTER: Readonly<Record<string, Kind>> = {
  user: 'user',
  'update-user': 'user',
  'remove-card': 'card',
  'remove-address': 'address',
  order: 'order',
  'order-by-key': 'order',
  restaurant: 'restaurant',
  customizations: 'item',
  item: 'item',
  choice: 'item',
}

/** The kinds of keys in an order by their place: a pointer into the body with `*` for any element. */
const IN_ORDER: Readonly<Record<string, Kind>> = {
  '/restaurantApiKey': 'restaurant',
  '/items/*/apiKey': 'item',
  '/items/*/customizationChoices/*/apiKey': 'choice',
  '/recipient/apiKey': 'user',
  '/card/apiKey': 'card',
  '/address/apiKey': 'address',
}

const codeFor = (kind: Kind): ProblemCode =>
  kind === 'choice' ? 'customization-unknown' : `${kind}-not-found`

/** Menus and restaurants are public, and restaurants accept orders of any application. */
const isPublic = (kind: Kind, { owner, method }: Operation) =>
  kind === 'restaurant' || (kind === 'item' && owner === 'catalog' && method === 'GET')

const isOrder = ({ admission }: Operation) => admission === 'order'

/** Returns the kind of each identifier of an operation by its place: `path/NAME`, or a pointer into the body. */
function keysOf(operation: PublicOperation): [place: string, kind: Kind][] {
  const inPath = [...operation.path.matchAll(/([^/]+)\/:(\w+)/g)].map(
    ([, part = '', name]): [string, Kind] => {
      const kind = AFTER[part]
      if (!kind) throw new Error(`the kind of the key in ${operation.path} is unknown`)
      return [`path/${name}`, kind]
    },
  )
  return [...inPath, ...(isOrder(operation) ? Object.entries(IN_ORDER) : [])]
}

/** No object is foreign to an operator, so these operations are only tested with other kinds of access keys. */
const ofTenants = operations.filter(({ audience }) => audience !== 'operator')

export type Place = (typeof places)[number]

/** Every identifier of every operation, in each form of its response. */
export const places = ofTenants.flatMap((operation) =>
  keysOf(operation).flatMap(([place, kind]) =>
    acceptedBy(operation).map((accept) => ({
      name: operation.name,
      operation,
      place,
      kind,
      accept,
      code: codeFor(kind),
      isPublic: isPublic(kind, operation),
    })),
  ),
)

/** Returns a request body of an operation without faults: the documented example, or an order with these keys. */
export const bodyOf = (operation: PublicOperation, keys: World['own']): unknown =>
  isOrder(operation) ? fullOrder(keys) : Object.values(operation.examples.bodies ?? {}).at(-1)

type Request = { method: string; path: string; body?: unknown }

/** Returns the request of an operation with a key in one of its places. Other places have the keys of the caller. */
export function requestWith({ own }: World, { operation, place, kind }: Place, key: string): Request {
  const kinds = Object.fromEntries(keysOf(operation))
  const keys = { ...own, [kind]: key }
  const path = operation.path.replaceAll(/:(\w+)/g, (_, name: string) =>
    place === `path/${name}` ? key : keys[kinds[`path/${name}`] as keyof typeof own],
  )
  return { method: operation.method, path, body: bodyOf(operation, keys) }
}

type ClientResponse = { status: number; headers: string[]; text: string }

/** Sends a request. Returns the response without the identity of the request and the key that it named. */
export async function sendRequest(
  { method, path, body }: Request,
  key: string,
  headers: Record<string, string>,
): Promise<ClientResponse> {
  const response = await fetch(`${stack().gateway}${path}`, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    // A response without an end, such as an event stream, is a failure.
    signal: AbortSignal.timeout(20_000),
  })
  const text = await response.text()
  const requestId = response.headers.get('x-request-id') ?? '-'
  return {
    status: response.status,
    headers: [...response.headers.keys()].toSorted(),
    text: text.replaceAll(requestId, 'REQUEST').replaceAll(key, 'KEY'),
  }
}

export function acceptedBy({ events }: Operation): string[] {
  return ['application/json', ...(events ? ['text/event-stream'] : [])]
}

export const codeOf = ({ text }: ClientResponse) => (JSON.parse(text) as { code: ProblemCode }).code
