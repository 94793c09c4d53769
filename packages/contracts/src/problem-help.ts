import type { ProblemCode } from '#/problems.ts'

/** The cause of a problem and its remedy, for the page that its `type` links to. */
type ProblemHelp = { why: string; fix: string }

export const problemHelp: Record<ProblemCode, ProblemHelp> = {
  'malformed-json': {
    why: 'The body is not JSON by RFC 8259, not UTF-8, or incomplete.',
    fix: 'Correct the body at the line and column in `detail`. Create it with a JSON library, not by joining strings.',
  },
  'missing-field': {
    why: 'A required field is absent, null or an empty text.',
    fix: 'Send every field that `errors` lists. Check its spelling: names are case-sensitive.',
  },
  'invalid-field': {
    why: 'A field, a parameter or a header has the wrong type, or lies outside its bounds.',
    fix: 'Correct the fields in `errors`; each entry has a pointer to the field and the expected value.',
  },

  'access-token-missing': {
    why: 'The request has no access key.',
    fix: 'Send your access key in the header `X-Access-Token`. A proxy may have removed the header.',
  },
  'access-token-invalid': {
    why: 'The access key is unknown, expired or revoked.',
    fix: 'Compare it with the issued key, without spaces or quotes. Ask the operator for a new one when it is expired or revoked.',
  },
  'invalid-credentials': {
    why: 'No user has this e-mail address and this password. The response does not reveal which of the two is wrong.',
    fix: 'Ask the person to type both again.',
  },

  'card-declined': {
    why: 'The bank that issued the card declined the payment. `declineCode` is its reason.',
    fix: 'Nothing was charged, so ask the customer for another card or another way to pay. If `declineCode` is `authentication_required`, send the order again with `canAuthenticate: true`, and open the page of the bank.',
  },
  'card-expired': {
    why: 'The expiry date of the card has passed.',
    fix: 'Ask the customer for the new expiry date or for another card.',
  },
  'cvc-failed': {
    why: 'The card verification value does not belong to the card.',
    fix: 'Ask the customer to type it again from the back of the card.',
  },

  'not-allowed': {
    why: 'Applications, restaurants and operators have different kinds of access keys, and each kind has its own endpoints.',
    fix: 'Use a key of the right kind: the path begins with `/publicapi` for applications, `/restaurantapi` for restaurants, `/operatorapi` for operators.',
  },

  'restaurant-not-found': {
    why: 'No restaurant has this apiKey.',
    fix: 'Take the apiKey from the response of restaurant/search.',
  },
  'item-not-found': {
    why: "The item is not on this restaurant's menu; the restaurant may have removed it.",
    fix: 'Read the menu again and send an apiKey from it.',
  },
  'user-not-found': {
    why: 'No user of your application has this apiKey. Users of other applications are not found either.',
    fix: 'Take the apiKey from the response of register-user or signin.',
  },
  'order-not-found': {
    why: 'No order that your access key may read has this apiKey, or the order failed before its response.',
    fix: 'Take the apiKey from the response of send-order. After a lost response, use order-by-key.',
  },
  'card-not-found': {
    why: 'The user has no saved card with this apiKey; it may have been removed.',
    fix: "Read the user, and send the apiKey of one of the user's cards or the fields of a new card.",
  },
  'address-not-found': {
    why: 'The user has no saved address with this apiKey; it may have been removed.',
    fix: "Read the user, and send the apiKey of one of the user's addresses or the fields of a new address.",
  },
  'application-not-found': {
    why: 'No client application has this id.',
    fix: 'Take the id from the list of applications.',
  },
  'access-key-not-found': {
    why: 'No access key has this id. The id is not the key itself.',
    fix: 'Take the id from the list of access keys.',
  },
  'attention-not-found': {
    why: 'The incident was resolved in the meantime, or never existed.',
    fix: 'Read the list of incidents again.',
  },
  'no-such-endpoint': {
    why: 'No endpoint has this path: it may be misspelt, or lack `/publicapi/v1` at its beginning.',
    fix: 'Compare the path with the documentation at `/docs`. `detail` names a similar endpoint, if any.',
  },

  'method-not-allowed': {
    why: 'The path exists, but not with this HTTP method.',
    fix: 'Use one of the methods in the header `Allow`.',
  },
  'body-too-large': {
    why: 'The body is larger than the endpoint accepts: 64 KiB, or 4 MiB for a menu.',
    fix: 'Send a smaller body; `detail` has the limit.',
  },
  'not-json': {
    why: 'The header `Content-Type` names another type than JSON.',
    fix: 'Send JSON with `Content-Type: application/json`.',
  },

  'email-taken': {
    why: 'A user already has this e-mail address.',
    fix: 'Sign the person in instead, or use another address.',
  },
  'idempotency-in-flight': {
    why: 'An earlier request with the same Idempotency-Key is still running.',
    fix: 'Wait for the seconds of `Retry-After` and send the same request again: it gets the response of the first one.',
  },
  'invalid-transition': {
    why: 'The order has a later status or is cancelled, and a status never goes back.',
    fix: 'Read the order and report one of its `nextStatuses`.',
  },
  'apikey-taken': {
    why: 'An item, a choice or another record with this apiKey belongs to another restaurant.',
    fix: 'Use an apiKey that no other restaurant has.',
  },
  'last-operator-key': {
    why: 'Without an operator key the platform could not be managed.',
    fix: 'Issue another operator key first, then revoke this one.',
  },
  'access-key-taken': {
    why: 'The key to import already exists: for this application or another one, possibly revoked.',
    fix: 'Use the existing key, or import another one. A revoked key cannot be imported again.',
  },
  'cancel-too-late': {
    why: 'The restaurant has begun the order, or the time in which a customer may cancel it is over.',
    fix: 'Call the restaurant. It can refuse the order, and the operator can cancel or refund it.',
  },
  'not-charged-yet': {
    why: 'The card is captured within seconds after the restaurant has accepted the order.',
    fix: 'Wait for the seconds of `Retry-After` and send the request again with the same Idempotency-Key.',
  },
  'price-changed': {
    why: 'A price, a tax or a delivery price has changed since the customer saw the total of `expectedTotal`.',
    fix: 'Show the customer the order in `order`, and send it again with its total as `expectedTotal`.',
  },
  'access-key-ended': {
    why: 'The access key was revoked or has expired, so it cannot be replaced.',
    fix: 'Issue a new access key.',
  },

  'restaurant-closed': {
    why: 'The restaurant is outside of its opening hours, or it has paused.',
    fix: 'Read `open` and `hours` of the restaurant, and send the order when it is open.',
  },
  'item-unavailable': {
    why: 'The restaurant has set the item or the choice to unavailable.',
    fix: 'Remove it, or choose one whose `available` is true.',
  },
  'customization-required': {
    why: "The chosen counts of a customization group add up to less than the group's `minCount`.",
    fix: 'Add choices from the group that `detail` names.',
  },
  'customization-limit': {
    why: "The chosen counts of a customization group add up to more than the group's `maxCount`.",
    fix: 'Remove choices from the group that `detail` names.',
  },
  'customization-unknown': {
    why: 'The choice belongs to another item, or is no longer on the menu.',
    fix: "Read the item's customizations and send an apiKey from that response.",
  },
  'below-delivery-minimum': {
    why: 'The subtotal is below the minimum for delivery to this address.',
    fix: 'Add items up to the minimum in `detail`, or order for pickup.',
  },
  'address-undeliverable': {
    why: "The address lies outside all of the restaurant's delivery zones.",
    fix: 'Order for pickup, or search for restaurants that deliver to the address.',
  },
  'address-not-found-on-map': {
    why: 'The geocoder does not find the address.',
    fix: 'Correct city, state and ZIP code, or send `latitude` and `longitude` where the endpoint takes them.',
  },
  'method-not-offered': {
    why: 'Not every restaurant offers both pickup and delivery.',
    fix: 'Send a `method` for which `offersPickup` or `offersDelivery` of the restaurant is true.',
  },
  'payment-not-accepted': {
    why: 'Not every restaurant accepts both cash and cards.',
    fix: 'Send a `payment` for which `acceptsCash` or `acceptsCard` of the restaurant is true.',
  },
  'not-a-test-restaurant': {
    why: 'The order has `test: true`, and the restaurant is a real one.',
    fix: 'Send test orders to a restaurant from restaurant/search-test.',
  },
  'test-restaurant-only': {
    why: 'The restaurant is a test restaurant, and the order does not have `test: true`.',
    fix: 'Send `test: true`, or order from a restaurant of restaurant/search.',
  },
  'tip-out-of-range': {
    why: 'The tip is negative, has more than two decimals, or is above the larger of 50.00 and the subtotal.',
    fix: 'Correct `tip`; `detail` has the bounds.',
  },
  'order-refused': {
    why: 'The restaurant received the order and refused it.',
    fix: 'Show the customer the reason in `details`. The charge was voided or refunded.',
  },
  'raw-card-not-accepted': {
    why: 'The request contains a card number, and this platform accepts cards by token only. The request was neither forwarded nor logged.',
    fix: 'Create a token at the payment processor with the key of payment-methods, and send it as `processorToken`.',
  },
  'idempotency-mismatch': {
    why: 'The Idempotency-Key was used for another request within the last seven days.',
    fix: 'Use a new key for each new request, and the same key only for the same body.',
  },
  'too-many-saved': {
    why: 'A user has at most 20 cards and 50 addresses.',
    fix: 'Remove an unused card or address first.',
  },
  'test-key': {
    why: 'The access key is a test key, and the restaurant is real. A test key can neither charge a card nor reach a real restaurant.',
    fix: 'Order at a test restaurant (`restaurant/search-test` lists them), or use a live access key.',
  },
  'below-card-minimum': {
    why: 'The payment processor accepts no charge below the amount in `detail`.',
    fix: 'Add items, or pay in cash.',
  },
  'total-too-large': {
    why: 'The total of an order is at most 999,999.99.',
    fix: 'Split the order into smaller ones.',
  },
  'payment-not-possible': {
    why: 'The payment processor refused the payment, and the card is not the reason. It refuses the same request again.',
    fix: 'Pay in cash or with another card. The operator finds the reason in the log of payments.',
  },
  'refund-too-large': {
    why: 'A customer gets back at most the paid amount, and each item at most once. `detail` has the remaining amount.',
    fix: 'Request a smaller amount, or `all` for the remaining amount.',
  },
  'order-cancelled': {
    why: 'The customer or the operator cancelled the order before the restaurant had it. The charge was voided.',
    fix: 'Send the order again if it is still wanted, with another Idempotency-Key.',
  },

  'rate-limited': {
    why: 'More requests or attempts were made than `RateLimit-Policy` allows.',
    fix: 'Wait for the seconds of `Retry-After`, and send fewer requests.',
  },

  'internal-error': {
    why: 'The service has a defect.',
    fix: 'Report the `requestId` to the operator. A retry with the same Idempotency-Key is safe.',
  },
  'restaurant-unreachable': {
    why: "The restaurant's system did not respond in time. The order failed, and its charge was voided.",
    fix: 'Send the order again later, or order from another restaurant.',
  },
  'payment-unavailable': {
    why: 'The payment processor did not respond, and nothing was charged.',
    fix: 'Wait for the seconds of `Retry-After` and send the request again with the same Idempotency-Key.',
  },
  'service-unavailable': {
    why: 'A part of the platform is starting, stopping or unavailable.',
    fix: 'Wait for the seconds of `Retry-After` and send the request again with the same Idempotency-Key.',
  },
  overloaded: {
    why: 'More requests are in progress than the service can handle. This one had no effect.',
    fix: 'Wait for the seconds of `Retry-After` and send the request again.',
  },
}
