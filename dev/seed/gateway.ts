import { isObject, isText } from './json.ts'

/** Longer than any answer takes, short enough that `npm start` does not hang on a gateway that is stuck. */
const PATIENCE_MS = 30_000

type Call = {
  method: 'POST' | 'PUT'
  path: string
  body: object
  /** What the call is made for, as an error names it: a file, or an application. */
  about: string
}

/** Makes one call as the operator; anything but 200 is an error that says what for, the status and the problem. */
export type Operator = (call: Call) => Promise<Record<string, unknown>>

export function operatorOf(target: { gateway: string; operatorKey: string }): Operator {
  return async ({ method, path, body, about }) => {
    const what = `${about}: ${method} ${path}`
    const response = await request(what, `${target.gateway}${path}`, {
      method,
      headers: { 'X-Access-Token': target.operatorKey, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    const answer = await response.text()
    if (response.status !== 200)
      throw new Error(`${what} answered ${response.status}: ${problemText(answer)}`)
    const value = parse(answer)
    return isObject(value) ? value : {}
  }
}

/** Whether the key may still search for restaurants: not after `npm run reset`, for one. */
export async function isKnown(gateway: string, accessKey: string): Promise<boolean> {
  const path = '/publicapi/v1/restaurant/search'
  // By a point, so that the answer does not hang on the geocoder.
  const where = 'latitude=43.0747&longitude=-89.3844&limit=1'
  const what = `the development access key: GET ${path}`
  const response = await request(what, `${gateway}${path}?${where}`, {
    headers: { 'X-Access-Token': accessKey },
  })
  const answer = await response.text()
  if (response.status === 200) return true
  if (response.status === 401) return false
  throw new Error(`${what} answered ${response.status}: ${problemText(answer)}`)
}

async function request(what: string, url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, signal: AbortSignal.timeout(PATIENCE_MS) })
  } catch (error) {
    // fetch says only "fetch failed"; the reason (ECONNREFUSED …) is in its cause.
    const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error
    throw new Error(`${what} got no answer: ${String(reason)}`, { cause: error })
  }
}

/** A problem's sentence and every fault that it lists; of anything else the beginning. */
function problemText(answer: string): string {
  const problem = parse(answer)
  if (!isObject(problem)) return answer.slice(0, 500)
  const sentence =
    [problem['detail'], problem['details'], problem['title']].find(isText) ?? answer.slice(0, 500)
  const faults: unknown[] = Array.isArray(problem['errors']) ? problem['errors'] : []
  const lines = faults
    .filter(isObject)
    .map((fault) => `\n  ${String(fault['pointer'])}: ${String(fault['detail'])}`)
  return sentence + lines.join('')
}

function parse(answer: string): unknown {
  try {
    return JSON.parse(answer)
  } catch {
    // Not JSON, such as a proxy's error page: the caller shows the text as it is.
    return null
  }
}
