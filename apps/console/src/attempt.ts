import { NoResponse, Refused } from '#/api.ts'
import { isOffline } from '#/connection.ts'
import { addNote } from '#/notes.ts'

type Explanations = {
  /** Ends the sentences that do not name the change, for example " for order 34". */
  of?: string
  onRefused?: (error: Refused) => Promise<void> | void
}

/** Makes a change. Returns false, with a note on the page, if the change failed or its outcome is unknown. */
export async function attempt(
  change: () => Promise<void>,
  { of = '', onRefused = ({ message }) => addNote(message, 'error') }: Explanations = {},
): Promise<boolean> {
  if (isOffline()) {
    addNote(`You are offline. Nothing was sent${of}. Try again when the connection is restored.`, 'error')
    return false
  }
  try {
    await change()
    return true
  } catch (error) {
    if (error instanceof NoResponse)
      addNote(`No response${of}. Check whether the change was made, or try again.`, 'error')
    else if (error instanceof Refused) await onRefused(error)
    else throw error
    return false
  }
}
