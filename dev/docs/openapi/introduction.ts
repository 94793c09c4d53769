/** The first page of the documentation; Markdown. */
export const introduction = `Search restaurants, read their menus, manage users with cards and addresses, send orders and follow them.

## First request

Every request has your access key in the header \`X-Access-Token\`. \`npm start\` prints one for development; the operator of a platform issues others. Existing libraries send it as the query parameter \`access-token\`, which works as well. Prefer the header, because URLs end up in logs.

\`\`\`sh
curl -H "X-Access-Token: $KEY" "$HOST/publicapi/v1/restaurant/search?street-address=2+E+Main+St,+Madison,+WI+53703"
\`\`\`

Then read a menu, send an order, and read its statuses. Restaurants, users, menu items and orders have an \`apiKey\`, an opaque string of at most 100 characters. It is not secret: a record that your access key may not read is 404.

## Requests and responses

- Bodies are JSON, at most 64 KiB. Unknown fields are ignored. The response names them in the header \`X-Ignored-Fields\`, that of validate-order also in \`warnings\`. A number or boolean may be sent as a string. \`null\` and an empty text mean the same as an absent field, in bodies and in query parameters.
- Success is always \`200\`, also for creation. Responses may get new fields; below \`/publicapi/v1\` no field is renamed, retyped or removed. A deprecated endpoint has \`Deprecation\` and \`Sunset\` headers for twelve months.
- A card number belongs in \`cardNumber\` alone. In any other text, such as comments, names, addresses or telephone numbers, its digits except the last four become \`*\` before the text is stored or transmitted. The same applies to any 13 to 19 digits that pass the check of card numbers.
- **Money** is a number in the restaurant's currency with at most two decimals: \`10.75\`. In responses it always has two (\`8.00\`), and other numbers with decimals have at least one.
- **Time** is Unix time in whole seconds.
- **Lists** are newest first, \`limit\` records at a time. The next page is in the header \`Link: <…>; rel="next"\`.

## Problems

Every other status has a body of type \`application/problem+json\` (RFC 9457). \`code\` and the number \`errorCode\` never change their meaning. \`details\` is a sentence to show a person. \`errors\` lists **all** faults of the request, each with a pointer to its field. \`retryable\` states whether the same request may succeed later; wait for the seconds of \`Retry-After\`, if present. Quote \`requestId\` when you report a problem.

## Safe retries

Every \`POST\` that changes something accepts an \`Idempotency-Key\` of your choice; send one especially with send-order. After a lost response, send the same request with the same key. It has no second effect: for seven days it receives the first final response, marked \`Idempotent-Replayed: true\`. A request that is refused before any effect stores no key. The same key with another body is refused. A request that is still running is 409 with \`Retry-After\`. signin and validate-order change nothing and ignore the key.

## Rate limits

\`RateLimit-Policy\` has the number of requests of an access key in a window of seconds; \`RateLimit\` has the remaining ones. \`"orders"\` limits the orders that an application sends and validates in a second, with all its access keys together. Above either limit the response is 429 with \`Retry-After\`.

## Test keys

Use an access key that begins with \`platter_test_\` to test your application on a real platform. With it every order is a test order, also with \`"test": false\`. restaurant/search lists test restaurants. An order at any other restaurant is refused with \`test-key\`, before a card is charged. Users, cards and addresses are those of your live keys. add-card exchanges a card for the processor's token with either kind of key; this charges nothing.

## Development

The seeded restaurants differ: open around the clock, closed at times, refusing, slow, or unreachable; \`dev/seed/README.md\` lists them. Test restaurants (restaurant/search-test) take orders with \`"test": true\`, which are never charged. The development payment processor has these cards:

| card number | result |
| --- | --- |
| 4242424242424242 | success |
| 4000000000000002 | declined |
| 4000000000009995 | insufficient funds |
| 4000000000000069 | expired |
| 4000000000000127 | CVC check failed |
| 4000000000000119 | failure of the processor |
`
