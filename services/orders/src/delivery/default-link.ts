import { RestaurantLink } from '@platter/contracts'

/**
 * Reads DEFAULT_RESTAURANT_LINK: `console`, or the URL of a webhook with its Standard Webhooks secret as the password. Throws for a
 * link that put-restaurant-link rejects.
 */
export function parseDefaultLink(text: string): RestaurantLink {
  if (text === 'console') return RestaurantLink.parse({ kind: 'console' })
  const url = new URL(text)
  const secret = decodeURIComponent(url.password)
  url.password = ''
  return RestaurantLink.parse({ kind: 'webhook', url: url.href, secret })
}

/** Returns whether `parseDefaultLink` accepts the text. */
export function isDefaultLink(text: string): boolean {
  try {
    parseDefaultLink(text)
    return true
  } catch {
    // The error may quote the secret, so it is dropped.
    return false
  }
}
