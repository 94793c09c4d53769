import { NoAnswer, Refused } from '#/api.ts'
import { isOffline } from '#/line.ts'
import { say } from '#/notes.ts'

/** Does what a person asked for. False when it was not done, or nobody knows; the page says which. */
export async function attempt(doing: () => Promise<void>): Promise<boolean> {
  if (isOffline()) {
    say('You are offline. Nothing was sent: try again when the connection is back.', 'error')
    return false
  }
  try {
    await doing()
    return true
  } catch (error) {
    if (error instanceof NoAnswer) say('No answer. Look whether it was done, or try again.', 'error')
    else if (error instanceof Refused) say(error.message, 'error')
    else throw error
    return false
  }
}
