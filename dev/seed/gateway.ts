import { isObject, isText } from './json.ts'

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
export type Operator = (call: Call) => Promise<Record<string, unknown>>

export function operatorOf(target: { gateway: string; operatorKey: string }): Operator {
  return async ({ method, path, body, about }) => {
    const what = `${about}: ${method} ${path}`
    const response = await request(what, `${target.gateway}${path}`, {
      method,
      headers: { 'X-Access-Token': target.operatorKey, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    if (response.status !== 200) throw new Error(`${what} returned ${response.status}: ${problemText(text)}`)
    const value = parse(text)
    return isObject(value) ? value : {}
  }
}

/** Returns true if the gateway accepts the key. After `npm run reset` it does not. */
export async function isKnown(gateway: string, accessKey: string): Promise<boolean> {
  const path = '/publicapi/v1/restaurant/search'
  // Coordinates, so that the response does not depend on the geocoder.
  const where = 'latitude=43.0747&longitude=-89.3844&limit=1'
  const what = `the development access key: GET ${path}`
  const response = await request(what, `${gateway}${path}?${where}`, {
    headers: { 'X-Access-Token': accessKey },
  })
  const text = await response.text()
  if (response.status === 200) return true
  if (response.status === 401) return false
  throw new Error(`${what} returned ${response.status}: ${problemText(text)}`)
}

async function request(what: string, url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) })
  } catch (error) {
    // The message of fetch is "fetch failed". The reason (ECONNREFUSED …) is in its cause.
    const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error
    throw new Error(`${what} had no response: ${String(reason)}`, { cause: error })
  }
}

/** Returns the detail and all faults of a problem; for any other text, its beginning. */
function problemText(text: string): string {
  const problem = parse(text)
  if (!isObject(problem)) return text.slice(0, 500)
  const sentence =
    [problem['detail'], problem['details'], problem['title']].find(isText) ?? text.slice(0, 500)
  const faults: unknown[] = Array.isArray(problem['errors']) ? problem['errors'] : []
  const lines = faults
    .filter(isObject)
    .map((fault) => `\n  ${String(fault['pointer'])}: ${String(fault['detail'])}`)
  return sentence + lines.join('')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON, such as an error page of a proxy: the caller shows the text itself.
    return null
  }
}
