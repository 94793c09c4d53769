import { Worker } from 'node:worker_threads'
import { Cache } from '@platter/kit'
import { headersOfPage, html, htmlPage } from '#/html.ts'

/** The page at /docs: an empty element that Scalar's script fills from /openapi.json. */
export const referencePage = htmlPage(
  'Platter API',
  html`<div id="reference"></div>
    <script src="/docs/reference.js"></script>
    <script src="/docs/start.js"></script>`,
)

/** Scalar's script sets inline styles, which only 'unsafe-inline' allows. Scripts come from this origin only. */
export const referenceHeaders = headersOfPage(
  "script-src 'self'; style-src 'unsafe-inline'; img-src 'self' data:; font-src data:; connect-src 'self'",
)

/** Disables fonts, telemetry and services of other hosts; the policy of the page would block them too. */
const settings = {
  url: '/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  documentDownloadType: 'json',
  orderSchemaPropertiesBy: 'preserve',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  authentication: { preferredSecurityScheme: 'accessKey' },
}

export const referenceStart = `Scalar.createApiReference('#reference', ${JSON.stringify(settings)})\n`

/** Returns Scalar's script, compressed on the first request. */
export function referenceScript(): () => Promise<Buffer> {
  const loaded = new Cache<Buffer>({ maxEntries: 1 })
  return () => loaded.load('zipped', loadScript)
}

/** Importing the module with the script takes 0.4 s and 40 MB. A worker thread imports it and exits, so no order waits. */
function loadScript(): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./reference-script.worker.ts', import.meta.url))
    worker.once('message', (zipped: Uint8Array) => resolve(Buffer.from(zipped)))
    worker.once('error', reject)
    worker.once('exit', (code) => reject(new Error(`the thread that loads the script ended with ${code}`)))
  })
}
