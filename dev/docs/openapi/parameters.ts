import { takesIdempotencyKey, type PublicOperation } from '@platter/contracts'
import type { z } from 'zod'
import { refersTo } from './headers.ts'
import type { Json } from './json.ts'
import type { Schemas } from './schemas.ts'

const PARAMETER = /:(\w+)/g

const membersOf = (schema: z.ZodType | undefined, schemas: Schemas) =>
  schema ? schemas.parameters(schema) : { properties: {}, required: [] }

/** Returns the path of an operation with the examples of its parameters. */
export function examplePath({ path, params }: PublicOperation, schemas: Schemas): string {
  const { properties } = membersOf(params, schemas)
  return path.replaceAll(PARAMETER, (_, name: string) => String(properties[name]?.['example']))
}

/** Returns the parameters of an operation, without those of authentication. */
export function parametersOf(operation: PublicOperation, schemas: Schemas): Json[] {
  return [
    ...pathParameters(operation, schemas),
    ...queryParameters(operation, schemas),
    ...(takesIdempotencyKey(operation) ? [refersTo('parameters', 'IdempotencyKey')] : []),
    ...(operation.hasETag ? [refersTo('parameters', 'IfNoneMatch')] : []),
    ...(operation.events ? [refersTo('parameters', 'LastEventId')] : []),
  ]
}

function pathParameters({ path, params }: PublicOperation, schemas: Schemas): Json[] {
  const { properties } = membersOf(params, schemas)
  return [...path.matchAll(PARAMETER)].map(([, name = '']) => {
    const { description, example, ...schema } = properties[name] ?? {}
    return { name, in: 'path', required: true, description, example, schema }
  })
}

function queryParameters({ query, examples }: PublicOperation, schemas: Schemas): Json[] {
  const { properties, required } = membersOf(query, schemas)
  const given = examples.query ?? {}
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    ...(required.includes(name) && { required: true }),
    ...(description !== undefined && { description }),
    schema,
    ...(name in given && { example: given[name] }),
  }))
}
