import { readFileSync } from 'node:fs'
import type { App } from '@platter/kit'
import { referenceHeaders, referencePage, ReferenceScript, referenceStart } from '#/reference-page.ts'

/** Written by `npm run docs`. A test compares it with the operations. */
const DOCUMENT = new URL('../../../../docs/openapi.json', import.meta.url)
const JAVASCRIPT = 'text/javascript; charset=utf-8'
/** The script changes with a release only; a browser need not load its megabyte at every visit. */
const FOR_AN_HOUR = 'public, max-age=3600'

/** For client developers, without an access key: the OpenAPI document, and a page to read and try it. */
export function docs(app: App): void {
  // Without white space, and as bytes: a string would be encoded for each response, and the request needs no access key.
  const document = Buffer.from(JSON.stringify(JSON.parse(readFileSync(DOCUMENT, 'utf8'))))
  const script = new ReferenceScript()

  app.get('/openapi.json', async (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(document),
  )
  app.get('/docs', async (_request, reply) => reply.headers(referenceHeaders).send(referencePage))
  app.get('/docs/start.js', async (_request, reply) => reply.type(JAVASCRIPT).send(referenceStart))
  app.get('/docs/reference.js', async ({ headers }, reply) => {
    void reply.type(JAVASCRIPT).headers({ 'cache-control': FOR_AN_HOUR, vary: 'Accept-Encoding' })
    if (!/\bgzip\b/.test(headers['accept-encoding'] ?? '')) return reply.send(await script.plain())
    return reply.header('content-encoding', 'gzip').send(await script.zipped())
  })
}
