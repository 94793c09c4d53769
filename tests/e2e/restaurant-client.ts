import type { RestaurantOrder } from '@platter/contracts'
import { anOrder, call, cast, sendOrder, stack, type ProblemBody } from './client.ts'
import { keyOf } from './stack.ts'

/* Requests with the access key of the restaurant with a console. Its orders change only by its reports. */

export const asRestaurant = <T>(path: string, body?: unknown, key = keyOf(cast.console)) =>
  call<T & ProblemBody>(`/restaurantapi/v1/${path}`, { key, ...(body !== undefined && { body }) })

export const report = (apiKey: string, status: string) =>
  asRestaurant<RestaurantOrder>(`order/${apiKey}/status`, { status })

/** Returns the problems of a request about an order with the access key of another restaurant, and of an application. */
export async function problemsOfOthers(
  pathOf: (orderApiKey: string) => string,
  body?: unknown,
): Promise<string[]> {
  const { body: order } = await sendOrder(await anOrder(cast.console))
  const problems: string[] = []
  for (const key of [keyOf(cast.aurora), stack().accessKey]) {
    const refused = await asRestaurant(pathOf(order.apiKey), body, key)
    problems.push(`${refused.status} ${refused.body.code}`)
  }
  return problems
}
