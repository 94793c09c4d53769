import { effect, signal, type Signal } from '@preact/signals'

/** A switch that this browser remembers. Nothing secret is kept there. */
function kept(name: string, initial: boolean): Signal<boolean> {
  const key = `platter.console.${name}`
  const value = signal(read(key) ?? initial)
  effect(() => write(key, value.value))
  return value
}

/** A browser that keeps nothing (private windows, a policy) throws: then the switch holds until the page is left. */
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
    // As above.
  }
}

export const soundOn = kept('sound', true)
export const notificationsOn = kept('notifications', false)
