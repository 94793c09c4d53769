import { signal } from '@preact/signals'

/** The milliseconds by which the gateway's clock is ahead of this device's clock, which may be wrong by any amount. */
let ahead = 0

/** The gateway's time in milliseconds. While a restaurant is signed in, its subscription calls `tick` every second. */
export const now = signal(Date.now())

export function tick(): void {
  now.value = Date.now() + ahead
}

/** Sets the clock from the header Date of a response. */
export function setClock(date: string | null): void {
  const time = date === null ? Number.NaN : Date.parse(date)
  if (Number.isNaN(time)) return
  // The header has whole seconds, and the response took time, so a smaller difference is ignored.
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

/** Returns the time of day, with the weekday if it is more than a day away. */
export function timeOf(epoch: number): string {
  const isNear = Math.abs(epoch - now.value / 1_000) < DAY
  return (isNear ? clock : clockAndDay).format(new Date(epoch * 1_000))
}

/** Returns the next time (epoch seconds) at which the device's clock shows "17:30": today's, otherwise tomorrow's. */
export function nextTime(text: string): number {
  const [hours = 0, minutes = 0] = text.split(':').map(Number)
  const then = new Date(now.value)
  then.setHours(hours, minutes, 0, 0)
  // A day has 23 or 25 hours when daylight saving time begins or ends.
  if (then.getTime() <= now.value) then.setDate(then.getDate() + 1)
  return Math.round(then.getTime() / 1_000)
}
