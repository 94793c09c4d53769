import { readFileSync } from 'node:fs'
import {
  operations,
  ProblemDocument,
  problems,
  problemsOf,
  SendOrder,
  templateOf,
  type Owner,
  type PublicOperation,
} from '@platter/contracts'
import type { z } from 'zod'
import { headers, requestHeaders } from './headers.ts'
import { camelCase, slug, type Json } from './json.ts'
import { examplePath, parametersOf } from './parameters.ts'
import { exampleOfProblem } from '../../../services/gateway/src/problem-examples.ts'
import { documentedCodes, responsesOf, sharedResponses } from './responses.ts'
import { Schemas } from './schemas.ts'

/** The first page of the documentation. */
const introduction = readFileSync(new URL('introduction.md', import.meta.url), 'utf8')

/** The version of the interface. The first number is that of the paths; an addition increases the second number. */
const VERSION = '1.0.0'

const tags = {
  Restaurants: 'Restaurants and their menus.',
  Users: 'Accounts with saved cards and addresses.',
  Orders: 'Orders and their statuses.',
  Kitchen: 'For access keys of restaurants: their orders and their menus.',
  Operator: 'For access keys of operators, who run the platform.',
}
type Tag = keyof typeof tags

const tagOfOwner: Record<Owner, Tag> = {
  catalog: 'Restaurants',
  accounts: 'Users',
  orders: 'Orders',
  payments: 'Operator',
}

function tagOf({ audience, owner }: PublicOperation): Tag {
  if (audience === 'operator') return 'Operator'
  return audience === 'restaurant' ? 'Kitchen' : tagOfOwner[owner]
}

const HEADER = { accessKey: [] }
const QUERY = { accessKeyInQuery: [] }

/** Returns the OpenAPI 3.1 document of every endpoint that the gateway routes. */
export function openApiDocument(): Json {
  const schemas = new Schemas()
  schemas.output(ProblemDocument)
  const paths: Record<string, Json> = {}
  for (const operation of operations) {
    const path = (paths[templateOf(operation.path)] ??= {})
    path[operation.method.toLowerCase()] = operationObject(operation, schemas)
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Platter',
      version: VERSION,
      summary: 'Order food.',
      description: introduction,
      contact: { name: 'The operator of this platform' },
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: '/' }],
    security: [HEADER],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: sorted(schemas.components),
      responses: sharedResponses(operations),
      parameters: requestHeaders,
      examples: problemExamples(schemas),
      headers,
      securitySchemes,
    },
  }
}

/**
 * Every endpoint accepts both. The document declares the second one only for event streams: if both are declared, a generated
 * client sends both (Hey API 0.99), and proxies log URLs.
 */
const securitySchemes: Json = {
  accessKey: { type: 'apiKey', in: 'header', name: 'X-Access-Token', description: 'Your access key.' },
  accessKeyInQuery: {
    type: 'apiKey',
    in: 'query',
    name: 'access-token',
    description:
      'Your access key, as existing libraries send it to any endpoint. The header takes precedence, and logs do not contain it.',
  },
}

function operationObject(operation: PublicOperation, schemas: Schemas): Json {
  const parameters = parametersOf(operation, schemas)
  return {
    operationId: camelCase(operation.name),
    summary: operation.summary,
    description: operation.description,
    tags: [tagOf(operation)],
    // Browsers' EventSource sends no custom headers.
    ...(operation.events && { security: [HEADER, QUERY] }),
    ...(parameters.length > 0 && { parameters }),
    ...(operation.body && { requestBody: requestBody(operation.body, operation.examples.bodies, schemas) }),
    responses: responsesOf(operation, schemas),
  }
}

function requestBody(body: z.ZodType, bodies: Json = {}, schemas: Schemas): Json {
  const examples = Object.entries(bodies).map(([summary, value]) => [slug(summary), { summary, value }])
  return {
    required: !body.safeParse(undefined).success,
    content: {
      'application/json': { schema: schemas.input(body), examples: Object.fromEntries(examples) as Json },
    },
  }
}

/** Returns an example of each problem, with the path of an operation that declares it: send-order, or the first one. */
const problemExamples = (schemas: Schemas): Json =>
  Object.fromEntries(
    documentedCodes(operations).map((code) => {
      const operation = [SendOrder, ...operations].find((one) => problemsOf(one).includes(code)) ?? SendOrder
      const value = exampleOfProblem(code, examplePath(operation, schemas))
      return [code, { summary: problems[code].title, value }]
    }),
  )

const sorted = (components: Record<string, Json>): Json =>
  Object.fromEntries(Object.entries(components).toSorted(([one], [other]) => (one < other ? -1 : 1)))
