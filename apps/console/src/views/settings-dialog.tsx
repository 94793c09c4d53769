import { allowNotifications, allowSound, notificationsExist, ring } from '#/alarm.ts'
import { attempt } from '#/attempt.ts'
import { addNote } from '#/notes.ts'
import { signOut } from '#/session.ts'
import { notificationsOn, soundOn } from '#/settings.ts'
import { dialog } from '#/ui.ts'
import { Dialog } from '#/views/dialog.tsx'

export function SettingsDialog() {
  return (
    <Dialog title="Settings">
      <Switch
        name="Sound"
        on={soundOn.value}
        onChange={(on) => (soundOn.value = on)}
        hint="A bell rings when a new order arrives."
      />
      <Switch
        name="Notifications"
        on={notificationsOn.value}
        onChange={(on) => void setNotifications(on)}
        hint="This device shows them, even while you use another window."
      />
      <div class="buttons">
        <button onClick={() => void tryBell()}>Try the bell</button>
        <button onClick={() => void leave()}>Sign out</button>
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

async function leave(): Promise<void> {
  if (await attempt(signOut)) dialog.value = null
}

type SwitchProps = { name: string; on: boolean; onChange: (on: boolean) => void; hint: string }

function Switch({ name, on, onChange, hint }: SwitchProps) {
  return (
    <button class="switch" role="switch" aria-checked={on} onClick={() => onChange(!on)}>
      <span>
        {name}
        <small>{hint}</small>
      </span>
      <span class="knob" aria-hidden="true" />
    </button>
  )
}
