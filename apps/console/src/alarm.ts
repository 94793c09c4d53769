import type { RestaurantOrder } from '@platter/contracts'
import { signal } from '@preact/signals'
import { linesOf } from '#/order.ts'
import { notificationsOn, soundOn } from '#/settings.ts'

/**
 * True while the browser allows sound. It requires an interaction with the page first, and ends when the device sleeps or takes the
 * sound for a call.
 */
export const soundIsAllowed = signal(false)

let context: AudioContext | null = null

/** Call it at an interaction with the page. */
export async function allowSound(): Promise<void> {
  context ??= newContext()
  await context.resume()
  showState(context)
}

function newContext(): AudioContext {
  // Larger buffers: with those of the default, silence took 80 % of the CPU time of an idle page.
  const audio = new AudioContext({ latencyHint: 'playback' })
  audio.addEventListener('statechange', () => showState(audio))
  return audio
}

function showState({ state }: AudioContext): void {
  soundIsAllowed.value = state === 'running'
}

/** Two strokes of a counter bell, twice. */
const STROKES = [
  { at: 0, hertz: 1_046.5 },
  { at: 0.16, hertz: 1_568 },
  { at: 0.62, hertz: 1_046.5 },
  { at: 0.78, hertz: 1_568 },
]

export function ring(): void {
  if (!context || context.state !== 'running') return
  const start = context.currentTime
  for (const { at, hertz } of STROKES) strike(context, hertz, start + at)
}

function strike(audio: AudioContext, hertz: number, when: number): void {
  const tone = audio.createOscillator()
  const volume = audio.createGain()
  tone.type = 'triangle'
  tone.frequency.value = hertz
  volume.gain.setValueAtTime(0.0001, when)
  volume.gain.exponentialRampToValueAtTime(0.6, when + 0.015)
  volume.gain.exponentialRampToValueAtTime(0.0001, when + 0.5)
  tone.connect(volume).connect(audio.destination)
  tone.start(when)
  tone.stop(when + 0.55)
}

/** Several orders that arrive within this time ring once. */
const QUIET_MS = 1_500
let lastRing = -Infinity

/** Rings and notifies, as the settings allow. Notifications with an equal `tag` are shown once, in any number of windows. */
export function alarm(order: RestaurantOrder, { title, tag }: { title: string; tag: string }): void {
  if (soundOn.value && performance.now() - lastRing > QUIET_MS) {
    lastRing = performance.now()
    ring()
  }
  if (notificationsOn.value) notify(order, { title, tag })
}

export const notificationsExist = 'Notification' in globalThis

/** Requests the browser's permission for notifications. Returns whether they are allowed. */
export async function allowNotifications(): Promise<boolean> {
  if (!notificationsExist) return false
  return (await Notification.requestPermission()) === 'granted'
}

function notify(order: RestaurantOrder, { title, tag }: { title: string; tag: string }): void {
  if (!notificationsExist || Notification.permission !== 'granted') return
  const body = linesOf(order.items)
    .map(({ count, name }) => `${count} × ${name}`)
    .join(', ')
  try {
    const shown = new Notification(title, { body, tag })
    shown.addEventListener('click', () => {
      window.focus()
      shown.close()
    })
  } catch {
    // Browsers on phones define the class, but its constructor throws. The sound and the page still inform the restaurant.
  }
}
