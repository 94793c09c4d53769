import type { App } from '@platter/kit'
import { headersOfPage, html } from '#/html.ts'

const page = html`<!doctype html>
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>Payment</title>
      <link rel="icon" href="data:," />
    </head>
    <body>
      <h1>Payment</h1>
      <p>The bank has your answer. You can close this page. The app shows your order.</p>
    </body>
  </html> `.html

const headers = headersOfPage('img-src data:')

/** Where the bank sends a customer whose client has no page of its own. It decides nothing, and reads no parameter. */
export function paymentReturn(app: App): void {
  app.get('/payment-return', async (_request, reply) => reply.headers(headers).send(page))
}
