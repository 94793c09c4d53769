import { audiences, problemsOf, templateOf, type Operation, type Owner } from '#/operation.ts'
import { operations } from '#/operations/index.ts'
import { problems } from '#/problems.ts'
import { headers, requestHeaders } from '#/openapi/headers.ts'
import { introduction } from '#/openapi/introduction.ts'
import { camelCase, slug, type Json } from '#/openapi/json.ts'
import { operationPages } from '#/openapi/pages/index.ts'
import { examplePath, parametersOf } from '#/openapi/parameters.ts'
import { exampleOfProblem, ProblemDocument } from '#/openapi/problem-document.ts'
import { answeredCodes, responsesOf, sharedResponses } from '#/openapi/responses.ts'
import { Schemas } from '#/openapi/schemas.ts'

/** Of the interface, whose path says 1: the second number grows when it grows. */
const VERSION = '1.0.0'

const tags = {
  Restaurants: 'Find restaurants, and read their menus.',
  Users: 'Accounts with saved cards and addresses.',
  Orders: 'Send orders and follow them.',
  Kitchen: 'For access keys of restaurants: their orders and their menu.',
  Operator: 'For access keys of operators: who runs the platform.',
}
type Tag = keyof typeof tags

const tagOfOwner: Record<Owner, Tag> = {
  catalog: 'Restaurants',
  accounts: 'Users',
  orders: 'Orders',
  payments: 'Operator',
}

function tagOf({ path, owner }: Operation): Tag {
  const audience = Object.entries(audiences).find(([prefix]) => path.startsWith(`${prefix}/`))?.[1]
  if (audience === 'operator') return 'Operator'
  return audience === 'restaurant' ? 'Kitchen' : tagOfOwner[owner]
}

const HEADER = { accessKey: [] }
const QUERY = { accessKeyInQuery: [] }

/** The OpenAPI 3.1 document of every endpoint that the gateway routes. */
export function openApiDocument(): Json {
  const schemas = new Schemas()
  schemas.output(ProblemDocument)
  const paths: Record<string, Json> = {}
  for (const operation of operations) {
    const path = (paths[templateOf(operation.path)] ??= {})
    path[operation.method.toLowerCase()] = operationObject(operation, schemas)
  }
  const used = new Set(operations.map(tagOf))
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
    tags: Object.entries(tags)
      .filter(([name]) => used.has(name as Tag))
      .map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: sorted(schemas.components),
      responses: sharedResponses(operations),
      parameters: requestHeaders,
      examples: problemExamples(),
      headers,
      securitySchemes,
    },
  }
}

/**
 * Every endpoint takes both; the second is offered where it is needed only. A generated client that is
 * offered both sends both (Hey API 0.99 does), and what is in a URL is in the logs of whatever is between.
 */
const securitySchemes: Json = {
  accessKey: { type: 'apiKey', in: 'header', name: 'X-Access-Token', description: 'Your access key.' },
  accessKeyInQuery: {
    type: 'apiKey',
    in: 'query',
    name: 'access-token',
    description:
      'Your access key, as existing libraries send it to any endpoint. The header counts more, and stays out of logs.',
  },
}

function operationObject(operation: Operation, schemas: Schemas): Json {
  const page = operationPages[operation.name]
  const parameters = parametersOf(operation, page, schemas)
  return {
    operationId: camelCase(operation.name),
    summary: operation.summary,
    ...(page && { description: page.description }),
    tags: [tagOf(operation)],
    ...(page?.keyInQuery && { security: [HEADER, QUERY] }),
    ...(parameters.length > 0 && { parameters }),
    ...(operation.body && { requestBody: requestBody(operation.body, page?.bodies, schemas) }),
    responses: responsesOf(operation, page, schemas),
  }
}

function requestBody(body: NonNullable<Operation['body']>, bodies: Json | undefined, schemas: Schemas): Json {
  const examples = Object.entries(bodies ?? {}).map(([summary, value]): [string, Json] => [
    slug(summary),
    { summary, value },
  ])
  return {
    required: !body.safeParse(undefined).success,
    content: {
      'application/json': {
        schema: schemas.input(body),
        ...(examples.length > 0 && { examples: Object.fromEntries(examples) }),
      },
    },
  }
}

/** Each shown for the first endpoint that has it as a problem of its own. */
function problemExamples(): Json {
  return Object.fromEntries(
    answeredCodes(operations).map((code) => {
      const operation = operations.find((one) => problemsOf(one).includes(code))
      const path = operation ? examplePath(operation.path) : '/publicapi/v1/send-order'
      return [code, { summary: problems[code].title, value: exampleOfProblem(code, path) }]
    }),
  )
}

const sorted = (components: Record<string, Json>): Json =>
  Object.fromEntries(Object.entries(components).toSorted(([one], [other]) => (one < other ? -1 : 1)))
