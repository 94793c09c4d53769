import { ProblemDocument } from '@platter/contracts'

/** Longer than any response takes, and short enough that `npm start` does not hang on a frozen gateway. */
const TIMEOUT_MS = 30_000

type Call = {
  method: 'POST' | 'PUT'
  path: string
  body: object
  /** The subject of the call in error messages: a file, or an application. */
  about: string
}

/** Makes one call as the operator. Throws for any status but 200, with the subject, the status and the problem. */
export type Operator = (call: Call) => Promise<unknown>

export function operatorOf(target: { gateway: string; operatorKey: string }): Operator {
  return async ({ method, path, body, about }) => {
    const what = `${about}: ${method} ${path}`
    const { status, text } = await send(what, `${target.gateway}${path}`, {
      method,
      headers: { 'X-Access-Token': target.operatorKey, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (status !== 200) throw new Error(`${what} returned ${status}: ${problemText(text)}`)
    return JSON.parse(text) as unknown
  }
}

/** Returns true if the gateway accepts the key. After `npm run reset` it does not. */
export async function isKnown(gateway: string, accessKey: string): Promise<boolean> {
  const path = '/publicapi/v1/restaurant/search'
  // Coordinates, so that the response does not depend on the geocoder.
  const where = 'latitude=43.0747&longitude=-89.3844&limit=1'
  const what = `the development access key: GET ${path}`
  const headers = { 'X-Access-Token': accessKey }
  const { status, text } = await send(what, `${gateway}${path}?${where}`, { headers })
  if (status === 200) return true
  if (status === 401) return false
  throw new Error(`${what} returned ${status}: ${problemText(text)}`)
}

async function send(what: string, url: string, init: RequestInit): Promise<{ status: number; text: string }> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) })
    return { status: response.status, text: await response.text() }
  } catch (error) {
    // The message of fetch is "fetch failed". The reason (ECONNREFUSED …) is in its cause.
    const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error
    throw new Error(`${what} had no response: ${String(reason)}`, { cause: error })
  }
}

/** Returns the detail and all faults of a problem; for any other text, such as a page of a proxy, its beginning. */
function problemText(text: string): string {
  try {
    const { detail, errors } = ProblemDocument.parse(JSON.parse(text))
    return [detail, ...errors.map((fault) => `  ${fault.pointer}: ${fault.detail}`)].join('\n')
  } catch {
    return text.slice(0, 500)
  }
}
