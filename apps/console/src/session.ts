import { signal } from '@preact/signals'
import { request, NoResponse, Refused } from '#/api.ts'

/** The signed-in restaurant. The session is a cookie that no script can read. */
type Session =
  | { state: 'unknown' }
  | { state: 'out'; because: string | null }
  | { state: 'in'; restaurantApiKey: string }

export const session = signal<Session>({ state: 'unknown' })

const SESSION = '/console/session'

/** Messages to the other windows of this browser, which share the cookie. */
const others = new BroadcastChannel('platter.console')
others.addEventListener('message', () => endSession())
type SignedIn = { restaurantApiKey: string }

/** Reads the session at the start. Retries while the gateway does not respond. */
export async function findSession(): Promise<void> {
  try {
    const { restaurantApiKey } = await request<SignedIn>(SESSION)
    session.value = { state: 'in', restaurantApiKey }
  } catch (error) {
    if (isSignedOut(error)) {
      session.value = { state: 'out', because: null }
      return
    }
    setTimeout(() => void findSession(), 2_000)
  }
}

/** Returns whether a request was rejected because the session has no valid access key of a restaurant. */
export const isSignedOut = (error: unknown): boolean =>
  error instanceof Refused && (error.status === 401 || error.status === 403)

/** Returns null, or the reason of the failure for the page. */
export async function signIn(accessKey: string): Promise<string | null> {
  try {
    const { restaurantApiKey } = await request<SignedIn>(SESSION, { body: { accessKey } })
    session.value = { state: 'in', restaurantApiKey }
    return null
  } catch (error) {
    return failureText(error)
  }
}

function failureText(error: unknown): string {
  if (error instanceof NoResponse) return 'Platter does not respond. Check the connection and try again.'
  if (!(error instanceof Refused)) return 'Signing in failed. Please try again.'
  if (error.status === 401) return 'This access key is not valid. Check that you copied all of it.'
  if (error.status === 403) return 'This access key does not belong to a restaurant.'
  return error.message
}

export async function signOut(): Promise<void> {
  await request(SESSION, { method: 'DELETE' })
  // eslint-disable-next-line unicorn/require-post-message-target-origin -- a BroadcastChannel takes none
  others.postMessage('signed out')
  session.value = { state: 'out', because: null }
}

/** Ends the session on the page, after the gateway or another window has ended it. */
export function endSession(): void {
  if (session.value.state !== 'in') return
  session.value = {
    state: 'out',
    because: 'You were signed out on another screen, or the access key is no longer valid.',
  }
}
