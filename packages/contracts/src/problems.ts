/**
 * One row for each problem (docs/interface.md, "Errors"). `errorCode` is the integer that existing clients read: it never changes
 * and is never reused. `retryable` states whether the same request may succeed later. `why` and `fix` are its cause and its remedy,
 * for the page that its `type` links to.
 */
const row = <S extends number>(
  errorCode: number,
  status: S,
  title: string,
  { retryable = false, why, fix }: { retryable?: boolean; why: string; fix: string },
) => ({ errorCode, status, title, retryable, why, fix })

export const problems = {
  'malformed-json': row(1001, 400, 'The body is not JSON', {
    why: 'The body is not JSON by RFC 8259, not UTF-8, compressed, or incomplete.',
    fix: 'Correct the body at the line and column in `detail`. Create it with a JSON library, not by joining strings, and send it uncompressed.',
  }),
  'missing-field': row(1002, 400, 'A field is missing', {
    why: 'A required field is absent, null or an empty text.',
    fix: 'Send every field that `errors` lists. Check the spelling of its name.',
  }),
  'invalid-field': row(1003, 400, 'A field has an invalid value', {
    why: 'A field, a parameter or a header has the wrong type, or lies outside its bounds.',
    fix: 'Correct the fields in `errors`; each entry has a pointer to the field and the expected value.',
  }),

  'access-token-missing': row(1101, 401, 'The access key is missing', {
    why: 'The request has no access key.',
    fix: 'Send your access key in the header `X-Access-Token`. A proxy may have removed the header.',
  }),
  'access-token-invalid': row(1102, 401, 'The access key is not valid', {
    why: 'The access key is unknown, expired or revoked.',
    fix: 'Compare it with the issued key, without spaces or quotes. Ask the operator for a new one when it is expired or revoked.',
  }),
  'invalid-credentials': row(1103, 401, 'E-mail and password do not match', {
    why: 'No user has this e-mail address and this password. The response does not reveal which of the two is wrong.',
    fix: 'Ask the person to type both again.',
  }),

  'card-declined': row(1201, 402, 'The card was declined', {
    why: 'The bank that issued the card declined the payment. `declineCode` is its reason.',
    fix: 'Nothing was charged, so ask the customer for another card or another way to pay. If `declineCode` is `authentication_required`, send the order again with `canAuthenticate: true` and a new Idempotency-Key, and open the page of the bank.',
  }),
  'card-expired': row(1202, 402, 'The card has expired', {
    why: 'The expiry date of the card has passed.',
    fix: 'Ask the customer for the new expiry date or for another card.',
  }),
  'cvc-failed': row(1203, 402, 'The card verification value is wrong', {
    why: 'The card verification value does not belong to the card.',
    fix: 'Ask the customer to type it again from the back of the card, and send the order with a new Idempotency-Key.',
  }),

  'not-allowed': row(1301, 403, 'This kind of access key may not call this endpoint', {
    why: 'Applications, restaurants and operators have different kinds of access keys, and each kind has its own endpoints.',
    fix: 'Use a key of the right kind: the path begins with `/publicapi` for applications, `/restaurantapi` for restaurants, `/operatorapi` for operators.',
  }),

  'restaurant-not-found': row(1401, 404, 'There is no such restaurant', {
    why: 'No restaurant has this apiKey.',
    fix: 'Take the apiKey from the response of restaurant/search.',
  }),
  'item-not-found': row(1402, 404, 'There is no such menu item', {
    why: "The item is not on this restaurant's menu; the restaurant may have removed it.",
    fix: 'Read the menu again and send an apiKey from it.',
  }),
  'user-not-found': row(1403, 404, 'There is no such user', {
    why: 'No user of your application has this apiKey. Users of other applications are not found either.',
    fix: 'Take the apiKey from the response of register-user or signin.',
  }),
  'order-not-found': row(1404, 404, 'There is no such order', {
    why: 'No order that your access key may read has this apiKey, or the order failed before its response.',
    fix: 'Take the apiKey from the response of send-order. After a lost response, use order-by-key.',
  }),
  'card-not-found': row(1405, 404, 'There is no such card', {
    why: 'The user has no saved card with this apiKey; it may have been removed.',
    fix: "Read the user, and send the apiKey of one of the user's cards or the fields of a new card.",
  }),
  'address-not-found': row(1406, 404, 'There is no such address', {
    why: 'The user has no saved address with this apiKey; it may have been removed.',
    fix: "Read the user, and send the apiKey of one of the user's addresses or the fields of a new address.",
  }),
  'application-not-found': row(1407, 404, 'There is no such application', {
    why: 'No client application has this id.',
    fix: 'Take the id from the list of applications.',
  }),
  'access-key-not-found': row(1408, 404, 'There is no such access key', {
    why: 'No access key has this id. The id is not the key itself.',
    fix: 'Take the id from the list of access keys.',
  }),
  'attention-not-found': row(1409, 404, 'There is no open incident with this id', {
    why: 'The incident was resolved in the meantime, or never existed.',
    fix: 'Read the list of incidents again.',
  }),
  'no-such-endpoint': row(1499, 404, 'There is no such endpoint', {
    why: 'No endpoint has this path: it may be misspelt, or lack `/publicapi/v1` at its beginning.',
    fix: 'Compare the path with the documentation at `/docs`. `detail` names a similar endpoint, if any.',
  }),

  'method-not-allowed': row(1501, 405, 'This endpoint does not support this method', {
    why: 'The path exists, but not with this HTTP method.',
    fix: 'Use one of the methods in the header `Allow`.',
  }),
  'body-too-large': row(1502, 413, 'The body is too large', {
    why: 'The body is larger than the endpoint accepts: 64 KiB, or 4 MiB for a menu.',
    fix: 'Send a smaller body; `detail` has the limit.',
  }),
  'not-json': row(1503, 415, 'The body must be application/json', {
    why: 'The header `Content-Type` is missing, or is not `application/json`.',
    fix: 'Send JSON with `Content-Type: application/json`.',
  }),

  'email-taken': row(1601, 409, 'The e-mail address is taken', {
    why: 'A user already has this e-mail address.',
    fix: 'Sign the person in instead, or use another address.',
  }),
  'idempotency-in-flight': row(1602, 409, 'The first request with this key is still running', {
    retryable: true,
    why: 'An earlier request with the same Idempotency-Key is still running.',
    fix: 'Wait for the seconds of `Retry-After` and send the same request again: it gets the response of the first one.',
  }),
  'invalid-transition': row(1603, 409, 'The order cannot move to this status', {
    why: 'The order has a later status or is cancelled, and a status never goes back.',
    fix: 'Read the order and report one of its `nextStatuses`.',
  }),
  'apikey-taken': row(1604, 409, 'The apiKey belongs to another restaurant', {
    why: 'An item, a choice or another record with this apiKey belongs to another restaurant.',
    fix: 'Use an apiKey that no other restaurant has.',
  }),
  'last-operator-key': row(1605, 409, 'The last access key of an operator cannot be revoked', {
    why: 'Without an operator key the platform could not be managed.',
    fix: 'Issue another operator key first, then revoke this one.',
  }),
  'access-key-ended': row(1606, 409, 'The access key is revoked or expired', {
    why: 'The access key was revoked or has expired, so it cannot be replaced.',
    fix: 'Issue a new access key.',
  }),
  'access-key-taken': row(1607, 409, 'The access key exists already', {
    why: 'The key to import already exists: for this application or another one, possibly revoked.',
    fix: 'Use the existing key, or import another one. A revoked key cannot be imported again.',
  }),
  'cancel-too-late': row(1609, 409, 'The order can no longer be cancelled', {
    why: 'The restaurant has begun the order, or the time in which a customer may cancel it is over.',
    fix: 'Call the restaurant. It can refuse the order, and the operator can cancel or refund it.',
  }),
  'not-charged-yet': row(1610, 409, 'The order is not charged yet', {
    retryable: true,
    why: 'The card is captured within seconds after the restaurant has accepted the order.',
    fix: 'Wait for the seconds of `Retry-After` and send the request again with the same Idempotency-Key.',
  }),
  'charge-disputed': row(1612, 409, 'The charge is disputed', {
    why: "The customer's bank disputes the charge, or has returned a part of it. The payment processor refunds nothing unless the dispute is won.",
    fix: 'Respond to an open dispute, or accept it, at the payment processor. Refund the order when the dispute is won, and agree on another way with the customer when it is lost.',
  }),
  'not-accepted-yet': row(1611, 409, 'The order is not accepted yet', {
    retryable: true,
    why: 'The restaurant has received the order, but its response to the webhook is missing or not stored yet.',
    fix: 'Respond to the webhook: 2xx accepts the order, 409 refuses it. Then wait for the seconds of `Retry-After` and send the request again.',
  }),
  'price-changed': row(1608, 409, 'The total is not the expected one', {
    why: 'A price, a tax or a delivery price has changed since the customer saw the total of `expectedTotal`.',
    fix: 'Show the customer the order in `order`, and send it again with its total as `expectedTotal`.',
  }),

  'restaurant-closed': row(1701, 422, 'The restaurant is closed', {
    retryable: true,
    why: 'The restaurant is outside of its opening hours, has paused, or is not connected. `closedReason` of the restaurant names the reason.',
    fix: 'Read `open`, `closedReason` and `opensAt` of the restaurant, and send the order when it is open.',
  }),
  'item-unavailable': row(1702, 422, 'An item is not available', {
    why: 'The restaurant has set the item or the choice to unavailable.',
    fix: 'Remove it, or choose one whose `available` is true.',
  }),
  'customization-required': row(1703, 422, 'A choice is missing', {
    why: "The chosen counts of a customization group add up to less than the group's `minCount`.",
    fix: 'Add choices from the group that `detail` names.',
  }),
  'customization-limit': row(1704, 422, 'There are too many choices', {
    why: "The chosen counts of a customization group add up to more than the group's `maxCount`.",
    fix: 'Remove choices from the group that `detail` names.',
  }),
  'customization-unknown': row(1705, 422, 'A choice does not belong to the item', {
    why: 'The choice belongs to another item, or is no longer on the menu.',
    fix: "Read the item's customizations and send an apiKey from that response.",
  }),
  'below-delivery-minimum': row(1706, 422, 'The order is below the delivery minimum', {
    why: 'The subtotal is below the minimum for delivery to this address.',
    fix: 'Add items up to the minimum in `detail`, or order for pickup.',
  }),
  'address-undeliverable': row(1707, 422, 'The restaurant does not deliver to this address', {
    why: "The address lies outside all of the restaurant's delivery zones.",
    fix: 'Order for pickup, or search for restaurants that deliver to the address.',
  }),
  'address-not-found-on-map': row(1708, 422, 'The address was not found on the map', {
    why: 'The geocoder does not find the address.',
    fix: 'Correct city, state and ZIP code. Where the endpoint takes `latitude` and `longitude`, send these instead; in an address, without `zip`.',
  }),
  'method-not-offered': row(1709, 422, 'The restaurant does not offer this method', {
    why: 'Not every restaurant offers both pickup and delivery.',
    fix: 'Send a `method` for which `offersPickup` or `offersDelivery` of the restaurant is true.',
  }),
  'payment-not-accepted': row(1710, 422, 'The restaurant does not accept this payment', {
    why: 'Not every restaurant accepts both cash and cards.',
    fix: 'Send a `payment` for which `acceptsCash` or `acceptsCard` of the restaurant is true.',
  }),
  'not-a-test-restaurant': row(1711, 422, 'A test order goes to test restaurants only', {
    why: 'The order has `test: true`, and the restaurant is a real one.',
    fix: 'Send test orders to a restaurant from restaurant/search-test.',
  }),
  'test-restaurant-only': row(1712, 422, 'A test restaurant takes test orders only', {
    why: 'The restaurant is a test restaurant, and the order does not have `test: true`.',
    fix: 'Send `test: true`, or order from a restaurant of restaurant/search.',
  }),
  'tip-out-of-range': row(1713, 422, 'The tip is out of range', {
    why: 'The tip is negative, has more than two decimals, or is above the larger of 50.00 and the subtotal.',
    fix: 'Correct `tip`; `detail` has the bounds.',
  }),
  'order-refused': row(1714, 422, 'The restaurant refused the order', {
    why: 'The restaurant received the order and refused it.',
    fix: 'Show the customer the reason in `details`. The charge was voided or refunded.',
  }),
  'idempotency-mismatch': row(1715, 422, 'The idempotency key was used with another request', {
    why: 'The Idempotency-Key was used for another request within the last seven days.',
    fix: 'Use a new key for each new request, and the same key only for the same body.',
  }),
  'too-many-saved': row(1716, 422, 'The account already has the maximum number', {
    why: 'A user has at most 20 cards and 50 addresses.',
    fix: 'Remove an unused card or address first.',
  }),
  'test-key': row(1717, 422, 'A test key is for test orders only', {
    why: 'The access key is a test key, and the restaurant or the order is real. A test key can neither charge or refund a card nor reach a real restaurant.',
    fix: 'Order at a test restaurant (`restaurant/search-test` lists them), or use a live access key.',
  }),
  'below-card-minimum': row(1718, 422, 'The total is below the minimum for payment by card', {
    why: 'The payment processor accepts no charge below the amount in `detail`.',
    fix: 'Add items, or pay in cash.',
  }),
  'total-too-large': row(1719, 422, 'The total is too large', {
    why: 'The total of an order is at most 999,999.99.',
    fix: 'Split the order into smaller ones.',
  }),
  'payment-not-possible': row(1720, 422, 'The payment processor does not accept this payment', {
    why: 'The payment processor refused the payment, and the card is not the reason. It refuses the same request again.',
    fix: 'Pay in cash or with another card. The operator finds the reason in the log of payments.',
  }),
  'order-cancelled': row(1721, 422, 'The order was cancelled', {
    why: 'The customer or the operator cancelled the order before the restaurant had it. The charge was voided.',
    fix: 'Send the order again if it is still wanted, with another Idempotency-Key.',
  }),
  'refund-too-large': row(1722, 422, 'The refund exceeds the remaining amount', {
    why: 'A customer gets back at most the paid amount, of the order and of each item. `detail` has the remaining amount.',
    fix: 'Request a smaller amount, or `all` for the remaining amount.',
  }),
  'raw-card-not-accepted': row(1723, 422, 'Card numbers are not accepted', {
    why: 'The request contains a card number, and this platform accepts cards by token only. The request was neither forwarded nor logged.',
    fix: 'Create a token at the payment processor with the key of payment-methods, and send it as `processorToken`.',
  }),

  'rate-limited': row(1801, 429, 'Too many requests', {
    retryable: true,
    why: 'More requests, orders, sign-ins or new cards were made than the platform allows. `RateLimit-Policy` has only the limits of requests and orders.',
    fix: 'Wait for the seconds of `Retry-After`, and send fewer requests.',
  }),

  'internal-error': row(1900, 500, 'Something went wrong on our side', {
    why: 'The service has a defect.',
    fix: 'Report the `requestId` to the operator. A retry with the same Idempotency-Key is safe.',
  }),
  'restaurant-unreachable': row(1901, 502, 'The restaurant could not be reached', {
    retryable: true,
    why: "The restaurant's system did not respond in time. The order failed, and its charge was voided.",
    fix: 'Wait for the seconds of `Retry-After` and send the order again, or order from another restaurant.',
  }),
  'payment-unavailable': row(1902, 503, 'The payment processor could not be reached', {
    retryable: true,
    why: 'The payment processor did not respond, and nothing was charged.',
    fix: 'Wait for the seconds of `Retry-After` and send the request again with the same Idempotency-Key.',
  }),
  'service-unavailable': row(1903, 503, 'A part of the service is not available', {
    retryable: true,
    why: 'A part of the platform is starting, stopping or unavailable.',
    fix: 'Wait for the seconds of `Retry-After` and send the request again with the same Idempotency-Key.',
  }),
  overloaded: row(1904, 503, 'The service is overloaded', {
    retryable: true,
    why: 'More requests are in progress than the service can handle. This one had no effect.',
    fix: 'Wait for the seconds of `Retry-After` and send the request again.',
  }),
} as const

export type ProblemCode = keyof typeof problems
