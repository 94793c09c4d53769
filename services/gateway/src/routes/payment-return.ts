import type { App } from '@platter/kit'
import { html, PLAIN_PAGE_HEADERS, plainPage } from '#/html.ts'

const page = plainPage(
  'Payment',
  html`<p>The bank has received your confirmation. You can close this page. The app shows your order.</p>`,
)

/**
 * The page to which the bank redirects a customer whose client has no page of its own. It changes nothing and reads no parameter.
 */
export function paymentReturn(app: App): void {
  app.get('/payment-return', async (_request, reply) => reply.headers(PLAIN_PAGE_HEADERS).send(page))
}
