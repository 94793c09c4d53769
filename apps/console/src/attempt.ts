import { NoResponse, Refused } from '#/api.ts'
import { isOffline } from '#/connection.ts'
import { addNote } from '#/notes.ts'

/** Makes a change. Returns false, with a note on the page, if the change failed or its outcome is unknown. */
export async function attempt(change: () => Promise<void>): Promise<boolean> {
  if (isOffline()) {
    addNote('You are offline. Nothing was sent. Try again when the connection is restored.', 'error')
    return false
  }
  try {
    await change()
    return true
  } catch (error) {
    if (error instanceof NoResponse)
      addNote('No response. Check whether the change was made, or try again.', 'error')
    else if (error instanceof Refused) addNote(error.message, 'error')
    else throw error
    return false
  }
}
