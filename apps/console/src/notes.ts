import { signal } from '@preact/signals'

type Tone = 'info' | 'error' | 'urgent'
type Note = { id: number; tone: Tone; text: string }

/** The notes at the foot of the page, which screen readers announce too. */
export const notes = signal<readonly Note[]>([])

/** Urgent notes stay until they are dismissed. */
const SHOWN_MS: Readonly<Record<Tone, number | null>> = { info: 10_000, error: 20_000, urgent: null }
/** The maximum number of notes that are not urgent. */
const MOST = 3
let last = 0

export function addNote(text: string, tone: Tone = 'info'): void {
  const note = { id: ++last, tone, text }
  const all = [...notes.value.filter((other) => other.text !== text), note]
  const newest = all.filter((one) => one.tone !== 'urgent').slice(-MOST)
  notes.value = all.filter((one) => one.tone === 'urgent' || newest.includes(one))
  const shownMs = SHOWN_MS[tone]
  if (shownMs !== null) setTimeout(() => dismiss(note.id), shownMs)
}

export function dismiss(id: number): void {
  notes.value = notes.value.filter((note) => note.id !== id)
}
