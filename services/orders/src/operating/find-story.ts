import { Problem } from '@platter/kit'
import type { Orchestrator } from '#/saga/orchestrator.ts'
import type { StoredStory } from '#/store/order-story.ts'
import type { Idempotent, Stores } from '#/store/stores.ts'

/** The dependencies for an operator's change of an order of any application. */
export type ChangeDeps = Pick<Stores, 'orderStories'> & {
  idempotent: Idempotent
  orchestrator: Pick<Orchestrator, 'apply'>
}

/** The order number of console and ticket. An apiKey has 48 characters and never matches. */
const NUMBER = /^\d{1,15}$/

/** Returns all rows of an order, by its apiKey or its number. Throws Problem order-not-found. */
export async function findStory(
  orderStories: Pick<Stores['orderStories'], 'find'>,
  apiKeyOrNumber: string,
): Promise<StoredStory> {
  const by = NUMBER.test(apiKeyOrNumber) ? { number: Number(apiKeyOrNumber) } : { apiKey: apiKeyOrNumber }
  const story = await orderStories.find(by)
  if (story) return story
  throw new Problem(
    'order-not-found',
    'There is no order with this apiKey or number. Find it with: platter orders find --help',
  )
}
