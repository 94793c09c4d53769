import { isVisible } from '../../../services/orders/src/domain/order-state.ts'
import type { StoredStory } from '../../../services/orders/src/store/order-story.ts'
import { statement } from '../database.ts'
import { simulation } from '../simulation.ts'

/** The parts that refunds and cancellations read. */
const find = (by: { number: number } | { apiKey: string }): Promise<StoredStory | null> =>
  statement('rows of an order', () => {
    const order = 'apiKey' in by ? simulation().database.orders.get(by.apiKey) : undefined
    if (!order) return null
    const { applicationId, outcome } = order
    return { order, applicationId, outcome, visible: isVisible(order) } as unknown as StoredStory
  })

export const orderStories = { find }
