import { board } from '#/orders.ts'
import { pausedUntil, restaurant, resume } from '#/restaurant.ts'
import { soundOn } from '#/settings.ts'
import { dialog, view, type View } from '#/ui.ts'
import { Bell, BellOff, Gear, Pause, Play } from '#/views/icons.tsx'

export function Header() {
  return (
    <header class="top">
      <div class="who">
        <h1>{restaurant.value?.name ?? 'Restaurant'}</h1>
      </div>
      <nav aria-label="Views">
        <To view="orders" label="Orders" count={board.value.new.length} />
        <To view="menu" label="Menu" />
      </nav>
      <div class="tools">
        <PauseButton />
        <SoundSwitch />
        <button class="tool" onClick={() => (dialog.value = { kind: 'settings' })}>
          <Gear />
          <span class="text">Settings</span>
        </button>
      </div>
    </header>
  )
}

function To({ view: to, label, count = 0 }: { view: View; label: string; count?: number }) {
  const isHere = view.value === to
  return (
    <a href={`#${to}`} aria-current={isHere ? 'page' : undefined}>
      {label}
      {count > 0 && (
        <span class="count">
          {count} <span class="hidden">new</span>
        </span>
      )}
    </a>
  )
}

/** Pauses for some minutes. The ordering bar ends a stop without an end. */
function PauseButton() {
  if (pausedUntil() !== null)
    return (
      <button class="tool" onClick={() => void resume()}>
        <Play />
        <span class="text">Resume</span>
      </button>
    )
  return (
    <button class="tool" onClick={() => (dialog.value = { kind: 'pause' })}>
      <Pause />
      <span class="text">Pause</span>
    </button>
  )
}

function SoundSwitch() {
  const on = soundOn.value
  return (
    <button class="tool" role="switch" aria-checked={on} onClick={() => (soundOn.value = !on)}>
      {on ? <Bell /> : <BellOff />}
      <span class="text">Sound</span>
    </button>
  )
}
