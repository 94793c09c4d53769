import { effect, signal, type Signal } from '@preact/signals'

/** Returns a setting that this browser stores. */
function kept(name: string, initial: boolean): Signal<boolean> {
  const key = `platter.console.${name}`
  const value = signal(read(key) ?? initial)
  effect(() => write(key, value.value))
  return value
}

/** localStorage throws in a private window or under a policy. Then the setting lasts until the page is closed. */
function read(key: string): boolean | null {
  try {
    const stored = localStorage.getItem(key)
    return stored === null ? null : stored === 'on'
  } catch {
    return null
  }
}

function write(key: string, on: boolean): void {
  try {
    localStorage.setItem(key, on ? 'on' : 'off')
  } catch {
    // See `read`.
  }
}

export const soundOn = kept('sound', true)
export const notificationsOn = kept('notifications', false)
