import { expect, onTestFinished, test } from 'vitest'
import { createApp } from '#/http/server.ts'
import { OVERLOADED_HEADER, overloaded } from '#/limits/concurrency-limit.ts'
import { PRINCIPAL_HEADER } from '#/security/principal-token.ts'
import { createLog } from '#/telemetry/log.ts'

/** Starts an overloaded server. Returns its response to a request with a principal. */
async function requestAsService(options: Parameters<typeof createApp>[1]): Promise<Response> {
  const app = createApp(createLog('test', 'silent'), options)
  onTestFinished(() => app.close())
  app.get('/', () => {
    throw overloaded()
  })
  return fetch(await app.listen(), { headers: { [PRINCIPAL_HEADER]: 'forged' } })
}

test('a service reports an overload to the gateway by a header', async () => {
  const { status, headers } = await requestAsService({})
  expect({ status, isReported: headers.has(OVERLOADED_HEADER) }).toEqual({ status: 503, isReported: true })
})

test('a public server ignores the principal of a client, and shows no internal header', async () => {
  const { status, headers } = await requestAsService({ exposed: { trustedProxies: [] } })
  expect({ status, isReported: headers.has(OVERLOADED_HEADER) }).toEqual({ status: 503, isReported: false })
})
