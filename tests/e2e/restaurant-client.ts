import type { RestaurantOrder } from '@platter/contracts'
import { call, cast, type ProblemBody } from './client.ts'
import { keyOf } from './stack.ts'

/* Requests with the access key of the restaurant with a console. Its orders change only by its reports. */

export const asRestaurant = <T>(path: string, body?: unknown, key = keyOf(cast.console)) =>
  call<T & ProblemBody>(`/restaurantapi/v1/${path}`, { key, ...(body !== undefined && { body }) })

export const report = (apiKey: string, status: string) =>
  asRestaurant<RestaurantOrder>(`order/${apiKey}/status`, { status })
