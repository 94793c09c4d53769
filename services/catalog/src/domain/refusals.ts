import type { Refusal } from '@platter/contracts'

export const RESTAURANT_NOT_FOUND: Refusal = {
  code: 'restaurant-not-found',
  detail: 'There is no such restaurant.',
}
