/**
 * One row for each problem (docs/interface.md, "Errors"). `errorCode` is the integer that existing clients read: it never changes
 * and is never reused. `retryable` states whether the same request may succeed later.
 */
const row = <S extends number>(errorCode: number, status: S, title: string, retryable = false) => ({
  errorCode,
  status,
  title,
  retryable,
})

export const problems = {
  'malformed-json': row(1001, 400, 'The body is not JSON'),
  'missing-field': row(1002, 400, 'A field is missing'),
  'invalid-field': row(1003, 400, 'A field has an invalid value'),

  'access-token-missing': row(1101, 401, 'The access key is missing'),
  'access-token-invalid': row(1102, 401, 'The access key is not valid'),
  'invalid-credentials': row(1103, 401, 'E-mail and password do not match'),

  'card-declined': row(1201, 402, 'The card was declined'),
  'card-expired': row(1202, 402, 'The card has expired'),
  'cvc-failed': row(1203, 402, 'The card verification value is wrong'),

  'not-allowed': row(1301, 403, 'This kind of access key may not call this endpoint'),

  'restaurant-not-found': row(1401, 404, 'There is no such restaurant'),
  'item-not-found': row(1402, 404, 'There is no such menu item'),
  'user-not-found': row(1403, 404, 'There is no such user'),
  'order-not-found': row(1404, 404, 'There is no such order'),
  'card-not-found': row(1405, 404, 'There is no such card'),
  'address-not-found': row(1406, 404, 'There is no such address'),
  'application-not-found': row(1407, 404, 'There is no such application'),
  'access-key-not-found': row(1408, 404, 'There is no such access key'),
  'attention-not-found': row(1409, 404, 'There is no open incident with this id'),
  'no-such-endpoint': row(1499, 404, 'There is no such endpoint'),

  'method-not-allowed': row(1501, 405, 'This endpoint does not support this method'),
  'body-too-large': row(1502, 413, 'The body is too large'),
  'not-json': row(1503, 415, 'The body must be application/json'),

  'email-taken': row(1601, 409, 'The e-mail address is taken'),
  'idempotency-in-flight': row(1602, 409, 'The first request with this key is still running', true),
  'invalid-transition': row(1603, 409, 'The order cannot move to this status'),
  'apikey-taken': row(1604, 409, 'The apiKey belongs to another restaurant'),
  'last-operator-key': row(1605, 409, 'The last access key of an operator cannot be revoked'),
  'access-key-ended': row(1606, 409, 'The access key is revoked or expired'),
  'access-key-taken': row(1607, 409, 'The access key exists already'),
  'cancel-too-late': row(1609, 409, 'The order can no longer be cancelled'),
  'not-charged-yet': row(1610, 409, 'The order is not charged yet', true),
  'price-changed': row(1608, 409, 'The total is not the expected one'),

  'restaurant-closed': row(1701, 422, 'The restaurant is closed', true),
  'item-unavailable': row(1702, 422, 'An item is not available'),
  'customization-required': row(1703, 422, 'A choice is missing'),
  'customization-limit': row(1704, 422, 'There are too many choices'),
  'customization-unknown': row(1705, 422, 'A choice does not belong to the item'),
  'below-delivery-minimum': row(1706, 422, 'The order is below the delivery minimum'),
  'address-undeliverable': row(1707, 422, 'The restaurant does not deliver to this address'),
  'address-not-found-on-map': row(1708, 422, 'The address was not found on the map'),
  'method-not-offered': row(1709, 422, 'The restaurant does not offer this method'),
  'payment-not-accepted': row(1710, 422, 'The restaurant does not accept this payment'),
  'not-a-test-restaurant': row(1711, 422, 'A test order goes to test restaurants only'),
  'test-restaurant-only': row(1712, 422, 'A test restaurant takes test orders only'),
  'tip-out-of-range': row(1713, 422, 'The tip is out of range'),
  'order-refused': row(1714, 422, 'The restaurant refused the order'),
  'idempotency-mismatch': row(1715, 422, 'The idempotency key was used with another request'),
  'too-many-saved': row(1716, 422, 'The account already has the maximum number'),
  'test-key': row(1717, 422, 'A test key places orders at test restaurants only'),
  'below-card-minimum': row(1718, 422, 'The total is below the minimum for payment by card'),
  'total-too-large': row(1719, 422, 'The total is too large'),
  'payment-not-possible': row(1720, 422, 'The payment processor does not accept this payment'),
  'order-cancelled': row(1721, 422, 'The order was cancelled'),
  'refund-too-large': row(1722, 422, 'The refund exceeds the remaining amount'),
  'raw-card-not-accepted': row(1723, 422, 'Card numbers are not accepted'),

  'rate-limited': row(1801, 429, 'Too many requests', true),

  'internal-error': row(1900, 500, 'Something went wrong on our side'),
  'restaurant-unreachable': row(1901, 502, 'The restaurant could not be reached', true),
  'payment-unavailable': row(1902, 503, 'The payment processor could not be reached', true),
  'service-unavailable': row(1903, 503, 'A part of the service is not available', true),
  overloaded: row(1904, 503, 'The service is overloaded', true),
} as const

export type ProblemCode = keyof typeof problems

/** One fault of a request: its place (a JSON Pointer into the body, or `query/NAME`), its problem code, and a text. */
export type Fault = { pointer: string; code: ProblemCode; detail: string }

/** The reason of a refusal in messages and rows. `declineCode` is the code of the processor (402 only). */
export type Refusal = { code: ProblemCode; detail: string; faults?: Fault[]; declineCode?: string }
