import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  EventsOnly,
  operations,
  ProblemDocument,
  problems,
  takesIdempotencyKey,
  templateOf,
  type ProblemCode,
} from '@platter/contracts'
import { createApp, createLog, Problem, Replicas, type RateLimit } from '@platter/kit'
import { afterAll, describe, expect, test } from 'vitest'
import type { AccessKeys } from '../../services/gateway/src/access-keys.ts'
import { Admission } from '../../services/gateway/src/admission.ts'
import { openApiDocument } from '../../dev/docs/openapi/document.ts'
import { exampleOfProblem } from '../../services/gateway/src/problem-examples.ts'
import { publicRoutes } from '../../services/gateway/src/routes/public-routes.ts'
import { ONE_REPLICA_EACH } from '../../services/gateway/src/testing/public-routes.ts'
import type { Streams } from '../../services/gateway/src/streams.ts'

type OperationObject = {
  operationId: string
  summary: string
  description: string
  parameters?: { name?: string }[]
  responses: Record<string, unknown>
}
type Document = {
  paths: Record<string, Record<string, OperationObject>>
  components: { schemas: Record<string, unknown>; examples: Record<string, unknown> }
}

const root = join(import.meta.dirname, '../..')
const openApi = openApiDocument() as Document
const described = Object.entries(openApi.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
)

describe('Redocly CLI with its recommended rules, warnings included', () => {
  const folder = mkdtempSync(join(tmpdir(), 'platter-openapi-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  /** Runs in a folder without a configuration of Redocly, so that all rules are active. */
  function lint(document: unknown): { passed: boolean; output: string } {
    const file = join(folder, 'openapi.json')
    writeFileSync(file, JSON.stringify(document))
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [
        join(root, 'node_modules/@redocly/cli/bin/cli.js'),
        'lint',
        file,
        '--extends=recommended-strict',
        '--format=stylish',
      ],
      {
        cwd: folder,
        encoding: 'utf8',
        env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
      },
    )
    return { passed: status === 0, output: stdout + stderr }
  }

  test('reports no fault of the document', () => {
    const valid: unknown = expect.stringContaining('Your API description is valid')
    expect(lint(openApi)).toEqual({ passed: true, output: valid })
  })

  test('reports a missing summary, a wrong example and an unused schema', () => {
    const copy = structuredClone(openApi) as unknown as {
      paths: Record<string, Record<string, { summary?: string; requestBody: unknown }>>
      components: { schemas: Record<string, unknown> }
    }
    const sendOrder = copy.paths['/publicapi/v1/send-order']!['post']!
    delete sendOrder.summary
    const text = JSON.stringify(copy).replaceAll('"method":"pickup"', '"method":"fly"')
    const broken = JSON.parse(text) as typeof copy
    broken.components.schemas['Unused'] = { type: 'object' }
    const { passed, output } = lint(broken)
    expect(passed).toBe(false)
    for (const rule of ['operation-summary', 'no-invalid-media-type-examples', 'no-unused-components'])
      expect(output).toContain(rule)
  })
})

describe.each(operations.map((operation) => [operation.name, operation] as const))(
  '%s',
  (_name, { summary, description, query, body, response, events, examples }) => {
    test('has a summary, a description, and an example of each body', () => {
      expect(summary).not.toBe('')
      expect(description).toMatch(/\.$/)
      expect(Object.keys(examples.bodies ?? {}).length > 0).toBe(body !== undefined)
    })

    test('accepts the examples of its requests', () => {
      for (const example of Object.values(examples.bodies ?? {}))
        expect(body?.safeParse(example)).toMatchObject({ success: true })
      expect(query?.safeParse(examples.query ?? {}).success).not.toBe(false)
    })

    test('accepts the examples of its responses and events', () => {
      const bodies = response === EventsOnly ? [] : [examples.response]
      for (const example of bodies) expect(response.parse(example)).toEqual(example)
      expect(examples.events !== undefined).toBe(events !== undefined)
      for (const { event, data } of examples.events ?? []) expect(events?.[event]?.parse(data)).toEqual(data)
    })
  },
)

test('documents Idempotency-Key for every POST except those that change nothing', () => {
  const documented = described
    .filter(({ operation }) => JSON.stringify(operation.parameters ?? []).includes('IdempotencyKey'))
    .map(({ method, path }) => `${method} ${path}`)
  const posts = operations.filter(({ method }) => method === 'POST')
  const accepting = posts.filter(takesIdempotencyKey)
  expect(documented).toEqual(accepting.map(({ method, path }) => `${method} ${templateOf(path)}`))
  const others = posts.filter((one) => !takesIdempotencyKey(one)).map(({ name }) => name)
  expect(others.toSorted()).toEqual(['signin', 'test-alert', 'validate-order'])
})

test('each operation has a unique name in generated clients', () => {
  const ids = described.map(({ operation }) => operation.operationId)
  expect(ids.length).toBe(operations.length)
  expect(new Set(ids).size).toBe(ids.length)
})

/** The gateway responds with these outside of all operations. */
const OF_NO_OPERATION = new Set<ProblemCode>(['no-such-endpoint'])

test('documents every problem of the catalogue with an example', () => {
  const { examples } = openApi.components
  const undocumented = (Object.keys(problems) as ProblemCode[]).filter(
    (code) => !(code in examples) && !OF_NO_OPERATION.has(code),
  )
  expect(undocumented).toEqual([])
})

test.each(Object.keys(problems) as ProblemCode[])('the example of %s is a problem document', (code) => {
  const example = exampleOfProblem(code, '/publicapi/v1/send-order')
  expect(ProblemDocument.parse(example)).toEqual(example)
})

test('no schema contains an internal discriminator of a union', () => {
  const { schemas } = openApi.components
  expect(JSON.stringify(schemas)).not.toMatch(/"(saved|guest)":/)
})

/** openapi-typescript generates a mandatory member from a default. */
test('no schema declares a default', () => {
  expect(JSON.stringify(openApi.components.schemas)).not.toContain('"default":')
})

describe('the gateway', () => {
  const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
  const app = createApp(createLog('gateway', 'fatal'))
  const served = new Set<string>()
  const nowhere = new Replicas(['http://127.0.0.1:1'])
  app.addHook('onRoute', ({ url }) => void served.add(templateOf(url)))
  publicRoutes(app, {
    operations,
    owners: { catalog: nowhere, accounts: nowhere, orders: nowhere, payments: nowhere },
    accessKeys: {
      principalOf: () => Promise.reject(new Problem('access-token-missing', 'Send your access key.')),
    } as unknown as AccessKeys,
    admission: new Admission({
      replicas: ONE_REPLICA_EACH,
      accessKeyRate: {} as RateLimit,
      orderRate: {} as RateLimit,
    }),
    streams: {} as Streams,
    streamReplicas: nowhere,
    deadlineMs: 10_000,
    secrets: ['not a secret, and long enough for one'],
  })
  afterAll(() => Promise.all([app.close(), nowhere.close()]))

  test('serves every path of the document, and no other', () => {
    expect([...served].toSorted()).toEqual(Object.keys(openApi.paths).toSorted())
  })

  test.each(described)('$method $path requires an access key', async ({ method, path }) => {
    const { statusCode } = await app.inject({ method: method as 'GET', url: path.replaceAll(/[{}]/g, '') })
    expect(statusCode).toBe(401)
  })

  test('refuses a method that the document does not have, unless existing clients use it', async () => {
    for (const [path, operation] of Object.entries(openApi.paths))
      for (const method of METHODS.filter((one) => !(one.toLowerCase() in operation))) {
        const { statusCode } = await app.inject({ method, url: path.replaceAll(/[{}]/g, '') })
        const isAccepted =
          path.startsWith('/publicapi/') &&
          ('post' in operation ? ['PUT', 'PATCH'] : ['POST']).includes(method)
        expect(`${method} ${path}: ${statusCode}`).toBe(`${method} ${path}: ${isAccepted ? 401 : 405}`)
      }
  })
})
