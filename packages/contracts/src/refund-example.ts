import type { Refund } from '#/refund.ts'

/** A refund of the second item of the example `deliveryOrder`: 3.25 and 0.18 of the tax. */
export const refund: Refund = {
  apiKey: '0c1f6c1d0e8b4d8f9a53c6a1b7de42905f3e6a7d8c9b0a12',
  amount: 3.43,
  state: 'PENDING',
  reason: 'MISSING_ITEM',
  items: [{ index: 1, amount: 3.43 }],
  requestedBy: 'restaurant',
  borneBy: 'restaurant',
  date: 1795200600,
}
