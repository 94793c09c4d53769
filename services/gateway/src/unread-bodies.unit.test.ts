import { once } from 'node:events'
import { connect } from 'node:net'
import { AddCard } from '@platter/contracts'
import { createApp, createLog, readBytes, Replicas, type internalCaller } from '@platter/kit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AccessKeys } from '#/access-keys.ts'
import { cors } from '#/cors.ts'
import { consolePage } from '#/routes/console-page.ts'
import { consoleSession } from '#/routes/console-session.ts'
import { addPublicRoutes } from '#/testing/public-routes.ts'

const gateway = createApp(createLog('test', 'silent'), { exposed: { trustedProxies: [] } })
const replicas = new Replicas(['http://127.0.0.1:1'])

beforeAll(async () => {
  const accessKeys = new AccessKeys((async () => ({ principal: null })) as unknown as ReturnType<
    typeof internalCaller
  >)
  readBytes(gateway)
  cors(gateway)
  addPublicRoutes(gateway, { operations: [AddCard], owners: { accounts: replicas }, accessKeys })
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
