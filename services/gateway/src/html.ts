import { createHash } from 'node:crypto'

/** HTML that can be inserted into a page without escaping. */
type Html = { readonly html: string }

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

type Part = string | number | Html | readonly Html[]

function escaped(part: Part): string {
  if (typeof part === 'number') return String(part)
  if (typeof part === 'string') return part.replaceAll(/[&<>"']/g, (one) => ENTITIES[one] ?? '')
  return 'html' in part ? part.html : part.map((one) => one.html).join('')
}

/** A template whose values are escaped, unless they are `Html`. */
export const html = (fixed: TemplateStringsArray, ...parts: readonly Part[]): Html => ({
  html: String.raw({ raw: fixed }, ...parts.map(escaped)),
})

/** Renders a page. Its policy (`headersOfPage`) must allow `img-src data:`, for the empty icon. */
export const htmlPage = (title: string, body: Html, style = html``): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <link rel="icon" href="data:," />
        ${style}
      </head>
      <body>
        ${body}
      </body>
    </html> `.html

/** Renders a page without styles and scripts, with its title as heading. Its headers are `PLAIN_PAGE_HEADERS`. */
export const plainPage = (title: string, body: Html): string =>
  htmlPage(
    title,
    html`<h1>${title}</h1>
      ${body}`,
  )

/** Forbidden on every page: content of other hosts, framing, forms, a base URL. */
const NOTHING_ELSE = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

export const headersOfPage = (allowed: string) => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `${NOTHING_ELSE}; ${allowed}`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
})

export const PLAIN_PAGE_HEADERS = headersOfPage('img-src data:')

/** The source expression for an inline style or script: only this exact text is allowed. */
export const hashSource = (text: string): string =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`
