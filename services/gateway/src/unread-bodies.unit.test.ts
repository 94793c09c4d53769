import { once } from 'node:events'
import { connect } from 'node:net'
import { AddCard } from '@platter/contracts'
import { createApp, createLog, LeakyBucket, readBytes, Replicas, type internalCaller } from '@platter/kit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AccessKeys } from '#/access-keys.ts'
import { Admission } from '#/admission.ts'
import { cors } from '#/cors.ts'
import { consolePage } from '#/routes/console-page.ts'
import { consoleSession } from '#/routes/console-session.ts'
import { publicRoutes } from '#/routes/public-routes.ts'
import { Streams } from '#/streams.ts'

const gateway = createApp(createLog('test', 'silent'), { exposed: { trustedProxies: [] } })
const replicas = new Replicas(['http://127.0.0.1:1'])

beforeAll(async () => {
  const accessKeys = new AccessKeys((async () => ({ principal: null })) as unknown as ReturnType<
    typeof internalCaller
  >)
  const rate = new LeakyBucket({ name: 'default', what: 'requests', requests: 1_000, seconds: 1 })
  readBytes(gateway)
  cors(gateway)
  publicRoutes(gateway, {
    operations: [AddCard],
    owners: { accounts: replicas },
    streamOwners: {},
    admission: new Admission({ replicas: {}, accessKeyRate: rate, orderRate: rate }),
    streams: new Streams({ application: 1, restaurant: 1 }),
    accessKeys,
    deadlineMs: 10_000,
    secrets: ['x'.repeat(32)],
  })
  consoleSession(gateway, accessKeys)
  consolePage(gateway)
  await gateway.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(() => Promise.all([gateway.close(), replicas.close()]))

const PATH = AddCard.path.replace(':apiKey', 'u1')

test.each([
  ['POST', '/nothing', 404],
  ['POST', '/console/nothing', 404],
  ['POST', PATH, 401],
  ['DELETE', PATH, 405],
  ['OPTIONS', PATH, 204],
  ['POST', '/console/session', 413],
  ['DELETE', '/console/session', 413],
])('%s %s without an access key is %i before the rest of its body arrives', async (method, path, status) => {
  const socket = connect(Number(new URL(gateway.listeningOrigin).port), '127.0.0.1')
  const head = ['host: x', 'sec-fetch-site: same-origin', 'content-type: application/json']
  const body = 'transfer-encoding: chunked\r\n\r\n'
  socket.write(`${method} ${path} HTTP/1.1\r\n${head.join('\r\n')}\r\n${body}800\r\n${'1'.repeat(2_048)}\r\n`)
  const [first] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  expect(first.toString()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
})
