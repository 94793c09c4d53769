import { signal } from '@preact/signals'

type Tone = 'info' | 'error' | 'urgent'
export type Note = { id: number; tone: Tone; text: string }

/** What is said at the foot of the page and to screen readers. */
export const notes = signal<readonly Note[]>([])

/** What is urgent stays until somebody puts it away. */
const SHOWN_MS: Readonly<Record<Tone, number | null>> = { info: 10_000, error: 20_000, urgent: null }
const MOST = 3
let last = 0

export function say(text: string, tone: Tone = 'info'): void {
  const note = { id: ++last, tone, text }
  notes.value = [...notes.value.filter((other) => other.text !== text), note].slice(-MOST)
  const shownMs = SHOWN_MS[tone]
  if (shownMs !== null) setTimeout(() => putAway(note.id), shownMs)
}

export function putAway(id: number): void {
  notes.value = notes.value.filter((note) => note.id !== id)
}
