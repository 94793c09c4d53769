import type { ButtonHTMLAttributes, ComponentChildren } from 'preact'
import { board } from '#/orders.ts'
import { restaurant } from '#/restaurant.ts'
import { soundOn } from '#/settings.ts'
import { dialog, view, type View } from '#/ui.ts'
import { Bell, BellOff, Gear, Pause } from '#/views/icons.tsx'
import { PauseDialog } from '#/views/pause-dialog.tsx'
import { SettingsDialog } from '#/views/settings-dialog.tsx'

export function Header() {
  return (
    <header class="top row">
      <h1>{restaurant.value?.name ?? 'Restaurant'}</h1>
      <nav class="row" aria-label="Views">
        <To view="orders" label="Orders" count={board.value.new.length} />
        <To view="menu" label="Menu" />
      </nav>
      <div class="row">
        <Tool icon={<Pause />} text="Pause" onClick={() => (dialog.value = <PauseDialog />)} />
        <SoundSwitch />
        <Tool icon={<Gear />} text="Settings" onClick={() => (dialog.value = <SettingsDialog />)} />
      </div>
    </header>
  )
}

function To({ view: to, label, count = 0 }: { view: View; label: string; count?: number }) {
  const isHere = view.value === to
  return (
    <a class="row" href={`#${to}`} aria-current={isHere ? 'page' : undefined}>
      {label}
      {count > 0 && (
        <span class="pill">
          {count} <span class="hidden">new</span>
        </span>
      )}
    </a>
  )
}

type ToolProps = ButtonHTMLAttributes & { icon: ComponentChildren; text: string }

function Tool({ icon, text, ...button }: ToolProps) {
  return (
    <button class="tool" {...button}>
      {icon}
      <span class="text">{text}</span>
    </button>
  )
}

function SoundSwitch() {
  const on = soundOn.value
  const icon = on ? <Bell /> : <BellOff />
  return (
    <Tool icon={icon} text="Sound" role="switch" aria-checked={on} onClick={() => (soundOn.value = !on)} />
  )
}
