import type { Restaurant } from '@platter/contracts'
import { signal } from '@preact/signals'
import { restaurantApi, type Options } from '#/api.ts'
import { attempt } from '#/attempt.ts'

/** `pausedUntil` in seconds. */
export type OwnRestaurant = Restaurant & { pausedUntil: number | null }

export const restaurant = signal<OwnRestaurant | null>(null)

export const forgetRestaurant = (): void => {
  restaurant.value = null
}

let lastRead = 0

/** An answer that a later read has overtaken is dropped: it may be from before a change. */
export async function readRestaurant(options: Options = {}): Promise<void> {
  const read = ++lastRead
  const value = await restaurantApi<OwnRestaurant>('restaurant', options)
  if (read === lastRead) restaurant.value = value
}

/** Until the server says otherwise: `open` is of the same record, and the two must not contradict each other. */
export const pausedUntil = (): number | null => restaurant.value?.pausedUntil ?? null

/** The record has more than the pause that depends on it (`open`), so it is read again as a whole. */
const change = (path: string, options: Options): Promise<boolean> =>
  attempt(async () => {
    await restaurantApi(path, options)
    await readRestaurant()
  })

/** Takes no new orders for so many minutes. False when it was not done; why not is said on the page. */
export const pause = (minutes: number): Promise<boolean> => change('pause', { body: { minutes } })

export const resume = (): Promise<boolean> => change('resume', { method: 'POST' })
