import { operation, type AdmissionClass } from '@platter/contracts'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { router } from '#/http/router.ts'
import { createApp } from '#/http/server.ts'
import { ADMISSION_POLICIES } from '#/limits/policies.ts'
import { PRINCIPAL_HEADER, principalSigner, type InternalSecrets } from '#/security/principal-token.ts'
import { createLog } from '#/telemetry/log.ts'

const secrets: InternalSecrets = ['not a secret, and long enough for one']

const anOperation = (path: string, admission: AdmissionClass) =>
  operation({
    name: path,
    summary: path,
    description: path,
    returns: path,
    examples: {},
    method: 'GET',
    path: `/publicapi/v1/${path}`,
    owner: 'catalog',
    admission,
    response: z.object({}),
    problems: [],
  })

test('a service accepts 512 concurrent reads, rejects more (503), and does not count priority', async () => {
  const ends: (() => void)[] = []
  const app = createApp(createLog('test', 'silent'))
  const route = router(app, secrets)
  const handler = async () => new Promise<Record<string, never>>((resolve) => ends.push(() => resolve({})))
  route(anOperation('read', 'read'), handler)
  route(anOperation('priority', 'priority'), handler)
  const principal = { kind: 'application', applicationId: 'a', accessKeyId: 'b', mode: 'live' } as const
  const headers = { [PRINCIPAL_HEADER]: await principalSigner(secrets)(principal, 'catalog') }
  const get = (path: string, count: number) =>
    Array.from({ length: count }, () => app.inject({ url: `/publicapi/v1/${path}`, headers }))
  const [reads, others] = [get('read', 600), get('priority', 3)]
  await expect.poll(() => ends.length).toBe(512 + 3)
  for (const end of ends) end()
  const statuses = (await Promise.all(reads)).map(({ statusCode }) => statusCode)
  expect(statuses.filter((status) => status === 200)).toHaveLength(512)
  expect(statuses.filter((status) => status === 503)).toHaveLength(88)
  expect((await Promise.all(others)).map(({ statusCode }) => statusCode)).toEqual([200, 200, 200])
})

test('the concurrency limit of orders equals the first limit of the gateway', () => {
  const { gateway, service } = ADMISSION_POLICIES.order
  expect(gateway.permits.first).toBe(service)
})
