import { setClock } from '#/clock.ts'

type Problem = { code?: string; detail?: string }

/** A problem that the gateway returned. */
export class Refused extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, { code, detail }: Problem) {
    super(detail ?? `The response has status ${status}.`)
    this.status = status
    this.code = code ?? ''
  }
}

/** Thrown without a complete response: whether the change was made is unknown. */
export class NoResponse extends Error {}

/** Longer than any request of a restaurant takes. */
const RESPONSE_WITHIN_MS = 10_000

export type Options = {
  method?: 'GET' | 'POST' | 'DELETE'
  body?: unknown
  withinMs?: number
  idempotencyKey?: string
}

/** Sends a request to the gateway, authenticated by the session's cookie. Throws Refused or NoResponse. */
export async function request<T>(
  path: string,
  { method, body, withinMs = RESPONSE_WITHIN_MS, idempotencyKey }: Options = {},
): Promise<T> {
  const response = await fetch(path, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    signal: AbortSignal.timeout(withinMs),
    cache: 'no-store',
    ...(body !== undefined && {
      headers: {
        'content-type': 'application/json',
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
      body: JSON.stringify(body),
    }),
  }).catch(lost)
  setClock(response.headers.get('date'))
  if (response.ok) return (await response.json().catch(lost)) as T
  // A proxy responds with a page instead of a problem.
  throw new Refused(response.status, (await response.json().catch(() => ({}))) as Problem)
}

function lost(cause: unknown): never {
  throw new NoResponse('Platter does not respond.', { cause })
}

const API = '/restaurantapi/v1'

export const restaurantApi = <T>(path: string, options?: Options): Promise<T> =>
  request<T>(`${API}/${path}`, options)

export const STREAM = `${API}/orders/stream`
