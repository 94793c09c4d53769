import { Restaurants } from '@platter/contracts'
import { unlessUnavailable, type Api } from '#/api.ts'
import { EXIT, Failure } from '#/exit.ts'

/**
 * Throws Failure for a restaurant that does not exist. The platform stores links and access keys of any apiKey, because only catalog
 * has the restaurants: after a typing error the command would succeed, and the restaurant would stay as it was. While catalog is
 * unavailable, every restaurant is accepted.
 */
export async function checkRestaurant(api: Api, apiKey: string): Promise<void> {
  const list = await unlessUnavailable(() => api.all(Restaurants))
  if (list === null || list.some((one) => one.apiKey === apiKey)) return
  throw new Failure(
    EXIT.refused,
    `There is no restaurant ${apiKey}. "platter restaurants list" shows their apiKeys.`,
  )
}
