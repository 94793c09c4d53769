import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import type { Operation } from '@platter/contracts'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { createApp, router } from './http.ts'
import { createLog } from './log.ts'
import { PRINCIPAL_HEADER, principalSigner, type InternalSecrets } from './principal-token.ts'

const SECRETS: InternalSecrets = ['a secret of at least thirty-two characters']
const Slow = {
  name: 'slow',
  summary: 'Waits for somebody else',
  method: 'GET',
  path: '/internal/slow',
  owner: 'orders',
  response: z.object({ isDone: z.boolean() }),
  problems: [],
} as const satisfies Operation

test('who asks for what waits for somebody else is told so before the answer, and never after it', async () => {
  const app = createApp(createLog('test', 'silent'))
  onTestFinished(() => app.close())
  const calls: (() => void)[] = []
  const answer = Promise.withResolvers<{ isDone: boolean }>()
  router(app, SECRETS)(Slow, ({ processing }) => {
    calls.push(processing)
    processing()
    return answer.promise
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const principal = await principalSigner(SECRETS)({ kind: 'service', service: 'test' }, 'orders')
  const request = get(`${app.listeningOrigin}${Slow.path}`, {
    agent: false,
    headers: { [PRINCIPAL_HEADER]: principal },
  })
  const [{ statusCode: before }] = (await once(request, 'information')) as [{ statusCode: number }]
  answer.resolve({ isDone: true })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  for (const processing of calls) processing()
  const body = Buffer.concat((await response.toArray()) as Buffer[]).toString()
  expect({ before, after: response.statusCode, body }).toEqual({
    before: 102,
    after: 200,
    body: '{"isDone":true}',
  })
})
