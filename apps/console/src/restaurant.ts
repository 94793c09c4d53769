import type { Attendance, OwnRestaurant } from '@platter/contracts'
import { signal } from '@preact/signals'
import { restaurantApi, type Options } from '#/api.ts'
import { attempt } from '#/attempt.ts'

export const restaurant = signal<OwnRestaurant | null>(null)

export const attendance = signal<Attendance | null>(null)

let lastRead = 0

/** A response is dropped if a later read has begun, because it may be from before a change. */
export async function readRestaurant(options: Options = {}): Promise<void> {
  const read = ++lastRead
  const value = await restaurantApi<OwnRestaurant>('restaurant', options)
  if (read === lastRead) restaurant.value = value
}

/** Reports that this page is open, which makes the restaurant attended. */
export async function reportAttendance(options: Options = {}): Promise<void> {
  attendance.value = await restaurantApi<Attendance>('attendance', options)
}

/** Reads the whole record after a change, because other fields (`open`) depend on the pause. */
const change = (path: string, options: Options): Promise<boolean> =>
  attempt(async () => {
    await restaurantApi(path, options)
    await readRestaurant()
  })

/** Stops new orders for `minutes`, otherwise until `resume`. Returns false, with a note on the page, if it failed. */
export const pause = (minutes?: number): Promise<boolean> => change('pause', { body: { minutes } })

export const resume = (): Promise<boolean> => change('resume', { method: 'POST' })
