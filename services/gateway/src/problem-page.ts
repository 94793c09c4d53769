import {
  commonProblems,
  operations,
  problems,
  problemsOf,
  templateOf,
  type ProblemCode,
} from '@platter/contracts'
import { hashSource, headersOfPage, html, htmlPage } from '#/html.ts'
import { exampleOfProblem } from '#/problem-examples.ts'

const STYLE = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  main { max-width: 44rem; margin: 3rem auto; padding: 0 1rem; }
  code, pre { font: 0.9em ui-monospace, monospace; }
  pre { padding: 1rem; border: 1px solid #8885; border-radius: 6px; overflow-x: auto; }
  dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.25rem 1.5rem; }
  dt { opacity: 0.7; } dd { margin: 0; }
`

/** Separate from the page, which the formatter may indent: the policy contains the hash of exactly this text. */
const STYLE_TAG = { html: `<style>${STYLE}</style>` }

export const problemPageHeaders = headersOfPage(`style-src ${hashSource(STYLE)}; img-src data:`)

/** Renders a problem of the catalogue as a page. */
export function problemPage(code: ProblemCode): string {
  const { title, status, errorCode, retryable, why, fix } = problems[code]
  const example = JSON.stringify(exampleOfProblem(code, '/publicapi/v1/…'), null, 2)
  const body = html`<main>
    <h1>${title}</h1>
    <h2>Why it happens</h2>
    <p>${inCode(why)}</p>
    <h2>How to fix it</h2>
    <p>${inCode(fix)}</p>
    <h2>What it is</h2>
    <dl>
      <dt>code</dt>
      <dd><code>${code}</code></dd>
      <dt>errorCode</dt>
      <dd><code>${errorCode}</code></dd>
      <dt>HTTP status</dt>
      <dd><code>${status}</code></dd>
      <dt>Try again?</dt>
      <dd>${retryable ? 'The same request may succeed later.' : 'The same request will not succeed.'}</dd>
      <dt>Returned by</dt>
      <dd>${sourceOf(code)}</dd>
    </dl>
    <h2>For example</h2>
    <pre>${example}</pre>
    <p><a href="/docs">The whole interface</a></p>
  </main>`
  return htmlPage(title, body, STYLE_TAG)
}

/** Renders text between backticks as code. */
const inCode = (text: string) =>
  text.split('`').map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`))

function sourceOf(code: ProblemCode) {
  const own = operations.filter((one) => problemsOf(one).includes(code))
  if (commonProblems.includes(code)) return html`any endpoint`
  if (own.length === 0) return html`paths without an endpoint`
  return own.map((one) => html`<div>${one.summary}: <code>${one.method} ${templateOf(one.path)}</code></div>`)
}
