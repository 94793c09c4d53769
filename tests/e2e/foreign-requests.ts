import { operations, type Operation, type ProblemCode, type PublicOperation } from '@platter/contracts'
import { call, type Options } from './client.ts'
import { fullOrder, type World } from './foreign-objects.ts'

/*
 * Identifiers are not credentials (docs/interface.md, "Access to users and orders"). This file finds every key that an operation
 * takes in its path or its body. It builds requests with a key of another tenant in that place.
 */

export type Foreign = keyof World['foreign']
type Kind = keyof World['own'] | 'order'

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
const IN_ORDER: readonly Kind[] = ['restaurant', 'item', 'choice', 'user', 'card', 'address']

const codeFor = (kind: Kind): ProblemCode =>
  kind === 'choice' ? 'customization-unknown' : `${kind}-not-found`

/** Menus and restaurants are public, and restaurants accept orders of any application. */
const isPublic = (kind: Kind, { owner, method }: Operation) =>
  kind === 'restaurant' || (kind === 'item' && owner === 'catalog' && method === 'GET')

export const isOrder = ({ admission }: Operation) => admission === 'order'

/** Replaces each parameter of the path of an operation. */
const withKeys = ({ path }: Operation, keyOf: (kind: Kind) => string) =>
  path.replaceAll(/([^/]+)\/:\w+/g, (_, part: string) => {
    const kind = AFTER[part]
    if (!kind) throw new Error(`the kind of the key in ${path} is unknown`)
    return `${part}/${keyOf(kind)}`
  })

/** Returns the kinds of the identifiers in the path and in the body of an operation. Each kind occurs once. */
function kindsOf(operation: Operation): Kind[] {
  const kinds = isOrder(operation) ? [...IN_ORDER] : []
  withKeys(operation, (kind) => String(kinds.push(kind)))
  return kinds
}

/** No object is foreign to an operator, so these operations are only tested with other kinds of access keys. */
export const ofTenants = operations.filter(({ audience }) => audience !== 'operator')

export type Place = (typeof places)[number]

/** Every identifier of every operation, in each form of its response. */
export const places = ofTenants.flatMap((operation) =>
  kindsOf(operation).flatMap((kind) =>
    acceptedBy(operation).map((accept) => ({
      name: operation.name,
      operation,
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
export function requestWith({ own }: World, { operation, kind }: Place, key: string): Request {
  const keys = { ...own, order: '', [kind]: key }
  const path = withKeys(operation, (one) => keys[one])
  return { method: operation.method, path, body: bodyOf(operation, keys) }
}

type Compared = { status: number; headers: string[]; text: string }

/** Sends a request. Returns the response without the identity of the request and the key that it named. */
export async function sendRequest(
  { path, ...request }: Request,
  named: string,
  options: Options,
): Promise<Compared> {
  // A response without an end, such as an event stream, is a failure.
  const response = await call(path, { ...request, ...options, timeoutMs: 20_000 })
  const { status, headers, text } = response
  const requestId = headers.get('x-request-id') ?? '-'
  return {
    status,
    headers: [...headers.keys()].toSorted(),
    text: text.replaceAll(requestId, 'REQUEST').replaceAll(named, 'KEY'),
  }
}

export function acceptedBy({ events }: Operation): string[] {
  return ['application/json', ...(events ? ['text/event-stream'] : [])]
}

export const codeOf = ({ text }: Compared) => (JSON.parse(text) as { code: ProblemCode }).code
