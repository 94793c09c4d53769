import { GetOrderStory, type OrderStory } from '@platter/contracts'
import type { Api } from '#/api.ts'
import { withoutNumberSign } from '#/parsers.ts'

/** Reads an order by its apiKey or its number. */
export const readStory = (api: Api, apiKeyOrNumber: string): Promise<OrderStory> =>
  api.call(GetOrderStory, { params: { apiKey: withoutNumberSign(apiKeyOrNumber) } })
