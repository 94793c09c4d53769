import type { Restaurant } from '@platter/contracts'
import { signal } from '@preact/signals'
import { restaurantApi } from './api.ts'
import { now } from './clock.ts'
import { attempt } from './attempt.ts'

/** `pausedUntil` in seconds. */
export type OwnRestaurant = Restaurant & { pausedUntil: number | null }

export const restaurant = signal<OwnRestaurant | null>(null)

export const forgetRestaurant = (): void => {
  restaurant.value = null
}

export async function readRestaurant(withinMs?: number): Promise<void> {
  restaurant.value = await restaurantApi<OwnRestaurant>(
    'restaurant',
    withinMs === undefined ? {} : { withinMs },
  )
}

export function pausedUntil(): number | null {
  const until = restaurant.value?.pausedUntil ?? null
  return until !== null && until * 1_000 > now.value ? until : null
}

type Paused = { paused: boolean; pausedUntil: number | null }

const takeIn = ({ pausedUntil: until }: Paused) => {
  if (restaurant.value) restaurant.value = { ...restaurant.value, pausedUntil: until }
}

/** Takes no new orders for so many minutes. False when it was not done; why not is said on the page. */
export const pause = (minutes: number): Promise<boolean> =>
  attempt(async () => takeIn(await restaurantApi<Paused>('pause', { body: { minutes } })))

export const resume = (): Promise<boolean> =>
  attempt(async () => takeIn(await restaurantApi<Paused>('resume', { method: 'POST' })))
