import { signal } from '@preact/signals'
import { ask, NoAnswer, Refused } from '#/api.ts'

/** Who is signed in: the gateway knows by its cookie, which no script can read. */
export type Session =
  | { state: 'unknown' }
  | { state: 'out'; because: string | null }
  | { state: 'in'; restaurantApiKey: string }

export const session = signal<Session>({ state: 'unknown' })

const SESSION = '/console/session'

/** The other windows of this browser, which has one cookie for all. */
const others = new BroadcastChannel('platter.console')
others.addEventListener('message', () => signedOutElsewhere())
type SignedIn = { restaurantApiKey: string }

/** Finds out at the start; while nobody answers, again and again. */
export async function findSession(): Promise<void> {
  try {
    const { restaurantApiKey } = await ask<SignedIn>(SESSION)
    session.value = { state: 'in', restaurantApiKey }
  } catch (error) {
    if (error instanceof Refused && (error.status === 401 || error.status === 403)) {
      session.value = { state: 'out', because: null }
      return
    }
    setTimeout(() => void findSession(), 2_000)
  }
}

/** Throws an Error whose message is fit to show. */
export async function signIn(accessKey: string): Promise<void> {
  const { restaurantApiKey } = await ask<SignedIn>(SESSION, { body: { accessKey } }).catch(
    (error: unknown) => {
      throw new Error(whyNot(error), { cause: error })
    },
  )
  session.value = { state: 'in', restaurantApiKey }
}

function whyNot(error: unknown): string {
  if (error instanceof NoAnswer) return 'Platter does not answer. Check the connection and try again.'
  if (!(error instanceof Refused)) return 'This did not work. Please try again.'
  if (error.status === 401) return 'This access key is not valid. Check that all of it was copied.'
  if (error.status === 403) return 'This access key is not a restaurant’s.'
  return error.message
}

export async function signOut(): Promise<void> {
  await ask(SESSION, { method: 'DELETE' })
  // eslint-disable-next-line unicorn/require-post-message-target-origin -- a BroadcastChannel takes none
  others.postMessage('signed out')
  session.value = { state: 'out', because: null }
}

/** The gateway does not know us any more. */
export function signedOutElsewhere(): void {
  if (session.value.state !== 'in') return
  session.value = {
    state: 'out',
    because: 'You were signed out: on another screen, or because the access key is no longer valid.',
  }
}
