import type { RestaurantOrder } from '@platter/contracts'
import { useSignal, useSignalEffect, type ReadonlySignal } from '@preact/signals'
import { NoResponse, Refused } from '#/api.ts'
import { previewRefund } from '#/orders.ts'
import type { RefundParts } from '#/refund.ts'

/** The amount that the customer would receive for the selected parts. */
export type Preview =
  | { state: 'none' }
  | { state: 'waiting' }
  | { state: 'ready'; amount: number }
  | { state: 'refused'; message: string }

/** The delay after typing, so that not every letter sends a request. */
const PREVIEW_AFTER_MS = 250

/** Requests the refund as it would be for `parts` (JSON, or "null" for none). A response for other parts is dropped. */
export function usePreview(order: RestaurantOrder, parts: ReadonlySignal<string>): ReadonlySignal<Preview> {
  const preview = useSignal<Preview>({ state: 'none' })
  useSignalEffect(() => {
    const chosen = JSON.parse(parts.value) as RefundParts | null
    let isCurrent = true
    preview.value = { state: chosen === null ? 'none' : 'waiting' }
    if (chosen === null) return undefined
    const request = async () => {
      const result = await previewOf(order, chosen)
      if (isCurrent) preview.value = result
    }
    const timer = setTimeout(() => void request(), PREVIEW_AFTER_MS)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  })
  return preview
}

async function previewOf(order: RestaurantOrder, parts: RefundParts): Promise<Preview> {
  try {
    // The amount does not depend on the reason.
    const { amount } = await previewRefund(order, { ...parts, reason: 'OTHER' })
    return { state: 'ready', amount }
  } catch (error) {
    if (error instanceof Refused) return { state: 'refused', message: error.message }
    if (error instanceof NoResponse)
      return {
        state: 'refused',
        message: 'No response. Nothing was refunded. Change the choice to try again.',
      }
    throw error
  }
}
