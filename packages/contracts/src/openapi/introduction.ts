/** What a client developer should know before the first request; Markdown. */
export const introduction = `Search restaurants, read their menus, keep users with cards and addresses, place orders and follow them.

## Begin

Every request carries your access key in the header \`X-Access-Token\`. \`npm start\` prints one for development, and the operator of a platform issues others. Existing libraries send it as the query parameter \`access-token\`, which works as well; prefer the header, because URLs end up in logs.

\`\`\`sh
curl -H "X-Access-Token: $KEY" "$HOST/publicapi/v1/restaurant/search?street-address=2+E+Main+St,+Madison,+WI+53703"
\`\`\`

Then read a menu, send an order, and read its statuses. Restaurants, users, menu items and orders are named by their \`apiKey\`, an opaque string of at most 100 characters. It is no secret: what your access key may not see is answered with 404.

## What is sent and what comes back

- Bodies are JSON, at most 64 KiB. Unknown fields are ignored; the answer names them in the header \`X-Ignored-Fields\`, and that of validate-order in \`warnings\` as well. A number or boolean may also be sent as a string. \`null\` and an empty text mean the same as leaving the field out, in bodies and in query parameters.
- Success is always \`200\`, also for what was created. Answers may get more fields in time; none is renamed, retyped or dropped below \`/publicapi/v1\`. What is to go says so for twelve months with \`Deprecation\` and \`Sunset\` headers.
- A card number belongs in \`cardNumber\` alone. In any other text, such as comments, names, addresses or telephone numbers, its digits become \`*\` but for the last four, before anything is stored or passed on; so does any run of 13 to 19 digits that passes the check of card numbers.
- **Money** is a number in the restaurant's currency with at most two decimals: \`10.75\`. In responses it always has two (\`8.00\`), and other decimals have one at least.
- **Time** is Unix time in whole seconds.
- **Lists** answer newest first, \`limit\` at a time; the next page is in the header \`Link: <…>; rel="next"\`.

## When something is wrong

Every other status has a body of type \`application/problem+json\` (RFC 9457). \`code\` and the number \`errorCode\` never change their meaning, \`details\` is a sentence to show a person, and \`errors\` lists **everything** that is wrong with the request, each with a pointer to its field. \`retryable\` says whether the same request may succeed later; wait for the seconds of \`Retry-After\` when it is there. Quote \`requestId\` when you ask about a problem.

## Send it again safely

Every \`POST\` that changes something takes an \`Idempotency-Key\` of your choice; send one above all with send-order. When the answer got lost, send the same request with the same key: it is not done twice, and for seven days the first final answer is given again, marked \`Idempotent-Replayed: true\`. A refusal before anything was done keeps no key. The same key with another body is refused, and a request that is still running is 409 with \`Retry-After\`. signin and validate-order change nothing and ignore the key.

## How often

An access key may make so many requests in so many seconds as \`RateLimit-Policy\` says; \`RateLimit\` says how many are left. An application may send and validate so many orders in a second as \`"orders"\` says there, by all its access keys together. Past either the answer is 429 with \`Retry-After\`.

## Test keys

An access key that begins with \`platter_test_\` is for trying your application out on a real platform. With it every order is a test order, also with \`"test": false\`; restaurant/search lists test restaurants; an order at any other restaurant is refused with \`test-key\`, before a card is touched. Users, cards and addresses are those of your live keys. add-card exchanges a card for the processor's token with either kind of key; nothing is charged by that.

## Trying it out in development

The seeded restaurants are open around the clock or not, refuse, are slow or cannot be reached, as \`dev/seed/README.md\` lists them. Test restaurants (restaurant/search-test) take orders with \`"test": true\`, which are never charged. The development payment processor knows these cards:

| card number | what happens |
| --- | --- |
| 4242424242424242 | succeeds |
| 4000000000000002 | is declined |
| 4000000000009995 | has insufficient funds |
| 4000000000000069 | has expired |
| 4000000000000127 | fails its CVC |
| 4000000000000119 | the processor fails |
`
