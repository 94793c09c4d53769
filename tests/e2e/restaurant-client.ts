import type { RestaurantOrder } from '@platter/contracts'
import { call, cast, type ProblemBody } from './client.ts'
import { keyOf } from './stack.ts'

/* Requests with the access key of a restaurant, by default that of the one with a console. Its orders change only by its reports. */

export const asRestaurant = <T>(path: string, body?: unknown, key = keyOf(cast.console)) =>
  call<T & Omit<ProblemBody, 'status'>>(`/restaurantapi/v1/${path}`, { key, body })

export const report = (apiKey: string, status: string, key?: string) =>
  asRestaurant<RestaurantOrder>(`order/${apiKey}/status`, { status }, key)

export const refuse = (apiKey: string, reason: string, key?: string) =>
  asRestaurant<RestaurantOrder>(`order/${apiKey}/refuse`, { reason }, key)
