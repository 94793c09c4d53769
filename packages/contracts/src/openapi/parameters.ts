import type { z } from 'zod'
import { takesIdempotencyKey, type Operation } from '#/operation.ts'
import { keys } from '#/openapi/examples.ts'
import { refersTo } from '#/openapi/headers.ts'
import { isJson, type Json } from '#/openapi/json.ts'
import type { Page } from '#/openapi/page.ts'
import type { Schemas } from '#/openapi/schemas.ts'

type Described = { description: string; example: string }

const apiKeyOf = (what: string, example: string): Described => ({
  description: `apiKey of the ${what}.`,
  example,
})

/** What stands in a path, by the step before it: `/user/:apiKey` is the apiKey of a user. */
const inPath: Record<string, Described> = {
  restaurant: apiKeyOf('restaurant', keys.restaurant),
  restaurants: apiKeyOf('restaurant', keys.restaurant),
  customizations: apiKeyOf('menu item', keys.garlicKnots),
  item: apiKeyOf('menu item', keys.garlicKnots),
  choice: apiKeyOf('customization choice', keys.marinara),
  user: apiKeyOf('user', keys.user),
  'update-user': apiKeyOf('user', keys.user),
  'remove-card': apiKeyOf('card', keys.card),
  'remove-address': apiKeyOf('address', keys.address),
  order: apiKeyOf('order', keys.order),
  orders: apiKeyOf('order', keys.order),
  'order-by-key': {
    description: 'The `Idempotency-Key` that the order was sent with, without quotes.',
    example: '8e03978e-40d5-43dd-bc93-6894a57f9324',
  },
  applications: { description: 'id of the client application.', example: keys.application },
  'access-keys': { description: 'id of the access key.', example: keys.accessKey },
  attention: { description: 'id of what needs a person.', example: `saga_${keys.order}` },
}

const PARAMETER = /(?<![^/])([^/]+)\/:([^/]+)/g

/** The path with its parameters filled in, as an example. */
export const examplePath = (path: string): string =>
  path.replaceAll(
    PARAMETER,
    (_, before: string, name: string) => `${before}/${inPath[before]?.example ?? name}`,
  )

/** Everything that an operation takes apart from its body and the access key. */
export function parametersOf(operation: Operation, page: Page | undefined, schemas: Schemas): Json[] {
  return [
    ...pathParameters(operation, schemas),
    ...queryParameters(operation, page, schemas),
    ...(takesIdempotencyKey(operation) ? [refersTo('parameters', 'IdempotencyKey')] : []),
    ...(page?.revalidates ? [refersTo('parameters', 'IfNoneMatch')] : []),
    ...(operation.events ? [refersTo('parameters', 'LastEventId')] : []),
  ]
}

const membersOf = (schema: z.ZodType | undefined, schemas: Schemas) =>
  schema ? schemas.parameters(schema) : { properties: {}, required: [] }

function pathParameters({ path, params, name: operation }: Operation, schemas: Schemas): Json[] {
  const { properties } = membersOf(params, schemas)
  return [...path.matchAll(PARAMETER)].map(([, before = '', name = '']) => {
    const described = inPath[before]
    if (!described) throw new Error(`${operation}: what is ${name} after ${before}? Say it in parameters.ts`)
    const { description: _general, ...schema } = properties[name] ?? { type: 'string' }
    return { name, in: 'path', required: true, ...described, schema }
  })
}

function queryParameters({ query }: Operation, page: Page | undefined, schemas: Schemas): Json[] {
  const { properties, required } = membersOf(query, schemas)
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    ...(required.includes(name) && { required: true }),
    ...(description !== undefined && { description }),
    schema,
    ...(isJson(page?.query) && name in page.query && { example: page.query[name] }),
  }))
}
