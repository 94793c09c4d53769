import { allowNotifications, allowSound, notificationsExist, ring } from '#/alarm.ts'
import { attempt } from '#/attempt.ts'
import { addNote } from '#/notes.ts'
import { signOut } from '#/session.ts'
import { notificationsOn } from '#/settings.ts'
import { Dialog } from '#/views/dialog.tsx'

export function SettingsDialog() {
  return (
    <Dialog title="Settings">
      <button
        class="switch"
        role="switch"
        aria-checked={notificationsOn.value}
        onClick={() => void setNotifications(!notificationsOn.value)}
      >
        <span>
          Notifications
          <small>This device shows them, even while you use another window.</small>
        </span>
        <span class="knob" aria-hidden="true" />
      </button>
      <div class="options">
        <button onClick={() => void tryBell()}>Try the bell</button>
        <button onClick={() => void attempt(signOut)}>Sign out</button>
      </div>
    </Dialog>
  )
}

async function setNotifications(on: boolean): Promise<void> {
  const isAllowed = !on || (await allowNotifications())
  notificationsOn.value = on && isAllowed
  if (isAllowed) return
  const why = notificationsExist
    ? 'The browser blocks notifications. Allow them for this page in its settings.'
    : 'This browser does not support notifications.'
  addNote(why, 'error')
}

async function tryBell(): Promise<void> {
  await allowSound()
  ring()
}
