import { setClock } from '#/clock.ts'

/** What the gateway refuses, and why. */
export class Refused extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, { code, detail }: { code?: string; detail?: string }) {
    super(detail ?? `The answer was ${status}.`)
    this.status = status
    this.code = code ?? ''
  }
}

/** Nobody answered: whether what was asked for is done is unknown. */
export class NoAnswer extends Error {}

/** Longer than anything that a restaurant asks for takes. */
const ANSWER_WITHIN_MS = 10_000

export type Options = { method?: 'GET' | 'POST' | 'DELETE'; body?: unknown; withinMs?: number }

/** Asks the gateway, which knows by the session's cookie who asks. Throws Refused or NoAnswer. */
export async function ask<T>(
  path: string,
  { method, body, withinMs = ANSWER_WITHIN_MS }: Options = {},
): Promise<T> {
  const answer = await fetch(path, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    signal: AbortSignal.timeout(withinMs),
    cache: 'no-store',
    ...(body !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  }).catch((error: unknown) => {
    throw new NoAnswer('Platter does not answer.', { cause: error })
  })
  setClock(answer.headers.get('date'))
  const value: unknown = await answer.json().catch(() => ({}))
  if (!answer.ok) throw new Refused(answer.status, value as { code?: string; detail?: string })
  return value as T
}

const API = '/restaurantapi/v1'

export const restaurantApi = <T>(path: string, options?: Options): Promise<T> =>
  ask<T>(`${API}/${path}`, options)

export const STREAM = `${API}/orders/stream`
