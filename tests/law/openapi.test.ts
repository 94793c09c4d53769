import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  operations,
  problems,
  takesIdempotencyKey,
  type Operation,
  type ProblemCode,
} from '@platter/contracts'
import {
  exampleOfProblem,
  openApiDocument,
  operationPages,
  ProblemDocument,
  templateOf,
} from '@platter/contracts/openapi'
import { createApp, createLog, Problem, problemDocument, Replicas } from '@platter/kit'
import { afterAll, describe, expect, test } from 'vitest'
import type { AccessKeys } from '../../services/gateway/src/access-keys.ts'
import { publicRoutes } from '../../services/gateway/src/routes/public-routes.ts'
import type { Streams } from '../../services/gateway/src/streams.ts'
import type { OrderRate } from '../../services/gateway/src/order-rate.ts'
import type { RateLimit } from '../../services/gateway/src/store/rate-limit.ts'

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
const documentOf = () => openApiDocument() as Document
const described = Object.entries(documentOf().paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
)

describe('the linter, Redocly CLI with its recommended rules and no warning let through', () => {
  const folder = mkdtempSync(join(tmpdir(), 'platter-openapi-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  /** In a folder without a configuration of Redocly, so that no rule is switched off; telemetry is off. */
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

  test('finds nothing', () => {
    const valid: unknown = expect.stringContaining('Your API description is valid')
    expect(lint(documentOf())).toEqual({ passed: true, output: valid })
  })

  test('would find a missing summary, a wrong example, and what nobody uses', () => {
    const document = documentOf() as unknown as {
      paths: Record<string, Record<string, { summary?: string; requestBody: unknown }>>
      components: { schemas: Record<string, unknown> }
    }
    const sendOrder = document.paths['/publicapi/v1/send-order']!['post']!
    delete sendOrder.summary
    const text = JSON.stringify(document).replaceAll('"method":"pickup"', '"method":"fly"')
    const broken = JSON.parse(text) as typeof document
    broken.components.schemas['Nobody'] = { type: 'object' }
    const { passed, output } = lint(broken)
    expect(passed).toBe(false)
    for (const rule of ['operation-summary', 'no-invalid-media-type-examples', 'no-unused-components'])
      expect(output).toContain(rule)
  })
})

describe.each(operations.map((operation): [string, Operation] => [operation.name, operation]))(
  '%s',
  (name, operation) => {
    const page = operationPages[name]

    test('is described, with an example of every body and of its answer', () => {
      expect(operation.summary).not.toBe('')
      // Without one: write it in packages/contracts/src/openapi/pages.
      expect(page?.description).toMatch(/\.$/)
      expect(Object.keys(page?.bodies ?? {}).length > 0).toBe(operation.body !== undefined)
    })

    test('takes its examples', () => {
      for (const body of Object.values(page?.bodies ?? {}))
        expect(operation.body?.safeParse(body)).toMatchObject({ success: true })
      expect(operation.query?.safeParse(page?.query ?? {}).success).not.toBe(false)
    })

    test('could answer its example', () => {
      expect(operation.response.parse(page?.answer.example)).toEqual(page?.answer.example)
    })
  },
)

test('Idempotency-Key is advertised on every POST but those that change nothing', () => {
  const advertised = described
    .filter(({ operation }) => JSON.stringify(operation.parameters ?? []).includes('IdempotencyKey'))
    .map(({ method, path }) => `${method} ${path}`)
  const posts = operations.filter(({ method }) => method === 'POST')
  const honouring = posts.filter(takesIdempotencyKey)
  expect(advertised).toEqual(honouring.map(({ method, path }) => `${method} ${templateOf(path)}`))
  const others = posts.filter((one) => !takesIdempotencyKey(one)).map(({ name }) => name)
  expect(others.toSorted()).toEqual(['signin', 'validate-order'])
})

test('there is no page of an operation that is gone', () => {
  const names = operations.map(({ name }) => name)
  expect(Object.keys(operationPages).filter((name) => !names.includes(name))).toEqual([])
})

test('every operation has a name of its own in generated clients', () => {
  const ids = described.map(({ operation }) => operation.operationId)
  expect(ids.length).toBe(operations.length)
  expect(new Set(ids).size).toBe(ids.length)
})

/** What no operation answers: the whole gateway does, or an interface that is still to come. */
const OF_NO_OPERATION = new Set<ProblemCode>(['no-such-endpoint'])

test('every problem of the catalogue is documented where it can happen', () => {
  const { examples } = documentOf().components
  const undocumented = (Object.keys(problems) as ProblemCode[]).filter(
    (code) => !(code in examples) && !OF_NO_OPERATION.has(code),
  )
  expect(undocumented).toEqual([])
})

test('a problem is documented as the services send it', () => {
  for (const code of Object.keys(problems) as ProblemCode[]) {
    const example = exampleOfProblem(code, '/publicapi/v1/send-order')
    expect(ProblemDocument.parse(example)).toEqual(example)
    const problem = new Problem(code, example.detail, {
      faults: example.errors,
      declineCode: example.declineCode,
    })
    expect(problemDocument(problem, example.requestId, example.instance)).toEqual(example)
  }
})

test('what tells unions apart inside is not shown to clients', () => {
  const { schemas } = documentOf().components
  expect(JSON.stringify(schemas)).not.toMatch(/"(saved|guest)":/)
})

/** openapi-typescript takes such a member for one that has to be sent. */
test('no member of a body has a default but in words', () => {
  expect(JSON.stringify(documentOf().components.schemas)).not.toContain('"default":')
})

describe('the gateway', () => {
  const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
  const app = createApp(createLog('gateway', 'fatal'))
  const served = new Set<string>()
  const nowhere = new Replicas(['http://127.0.0.1:1'])
  app.addHook('onRoute', ({ url }) => void served.add(templateOf(url)))
  publicRoutes(app, {
    operations,
    owners: { catalog: nowhere, accounts: nowhere, orders: nowhere },
    accessKeys: {
      principalOf: () => Promise.reject(new Problem('access-token-missing', 'Send your access key.')),
    } as unknown as AccessKeys,
    rateLimit: {} as RateLimit,
    orderRate: {} as OrderRate,
    streams: {} as Streams,
    streamOwners: {},
    concurrency: {},
    deadlineMs: 10_000,
    secrets: ['not a secret, and long enough for one'],
  })
  afterAll(() => Promise.all([app.close(), nowhere.close()]))

  test('serves every path of the document, and no other', () => {
    expect([...served].toSorted()).toEqual(Object.keys(documentOf().paths).toSorted())
  })

  test.each(described)('$method $path asks for an access key', async ({ method, path }) => {
    const { statusCode } = await app.inject({ method: method as 'GET', url: path.replaceAll(/[{}]/g, '') })
    expect(statusCode).toBe(401)
  })

  test('refuses a method that the document does not have, unless existing clients use it', async () => {
    for (const [path, operation] of Object.entries(documentOf().paths))
      for (const method of METHODS.filter((one) => !(one.toLowerCase() in operation))) {
        const { statusCode } = await app.inject({ method, url: path.replaceAll(/[{}]/g, '') })
        const isTaken =
          path.startsWith('/publicapi/') &&
          ('post' in operation ? ['PUT', 'PATCH'] : ['POST']).includes(method)
        expect(`${method} ${path}: ${statusCode}`).toBe(`${method} ${path}: ${isTaken ? 401 : 405}`)
      }
  })
})
