import { signal } from '@preact/signals'

/** Milliseconds that the gateway's clock is ahead of this machine's, which on a counter may be anything. */
let ahead = 0

/** The time, in milliseconds, as the gateway has it; moves every second. */
export const now = signal(Date.now())

const tick = () => {
  now.value = Date.now() + ahead
}
setInterval(tick, 1_000)

/** Takes the time from the header Date of an answer. */
export function setClock(date: string | null): void {
  const time = date === null ? Number.NaN : Date.parse(date)
  if (Number.isNaN(time)) return
  // The header has whole seconds and took a moment to come: less than this is no difference.
  const difference = time - Date.now()
  ahead = Math.abs(difference) < 3_000 ? 0 : difference
  tick()
}

const clock = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit' })
const clockAndDay = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  hour: 'numeric',
  minute: '2-digit',
})
const DAY = 86_400

/** The time of day, with the weekday when it is not within a day. */
export function timeOf(epoch: number): string {
  const isNear = Math.abs(epoch - now.value / 1_000) < DAY
  return (isNear ? clock : clockAndDay).format(new Date(epoch * 1_000))
}
