import { readFileSync } from 'node:fs'
import type { Random } from '../../support/random.ts'

/** The part of JSON Schema that the document of the contracts uses. */
export type Schema = {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  oneOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: Schema
  items?: Schema
  minItems?: number
  maxItems?: number
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
}
type Parameter = { $ref?: string; name: string; in: string; schema: Schema }
type Documented = {
  parameters?: Parameter[]
  requestBody?: { content: { 'application/json': { schema: Schema } } }
}

const DOCUMENT = new URL('../../../docs/openapi.json', import.meta.url)
export const document = JSON.parse(readFileSync(DOCUMENT, 'utf8')) as {
  paths: Record<string, Record<string, Documented>>
  components: { schemas: Record<string, Schema>; parameters: Record<string, Parameter> }
}

/** Returns the parameters and the body of an endpoint from the document of the contracts. */
export function documented(method: string, path: string): { query: Parameter[]; body: Schema | null } {
  const template = path.replaceAll(/:(\w+)/g, '{$1}')
  const found = document.paths[template]?.[method.toLowerCase()]
  if (!found) throw new Error(`${method} ${path} is not documented`)
  return {
    query: (found.parameters ?? []).filter((parameter) => parameter.in === 'query'),
    body: found.requestBody?.content['application/json'].schema ?? null,
  }
}

/** Returns texts with a valid form for a field name. Without one, any text is possible. */
export type Known = (field: string, random: Random) => unknown

/** The source of values: random choices, known texts, and the probability of a value at or above its limit. */
type Made = { random: Random; known: Known; atLimit: number }

/** The share of values exactly at the limit, just above it, or a hundred times as large. */
const AT_LIMIT = 0.04
/** A larger number would exceed the limit of any body. */
const MANY = 3_000

/** Generates a value that fits the schema, if `known` has the form of its texts. */
export const sampleOf = (schema: Schema, random: Random, known: Known, field = ''): unknown =>
  sample(schema, { random, known, atLimit: AT_LIMIT }, field)

function sample(schema: Schema, made: Made, field: string): unknown {
  const { random, known } = made
  if (schema.$ref) return sample(resolve(schema.$ref), made, field)
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return random.pick(schema.enum)
  const either = schema.anyOf ?? schema.oneOf
  if (either) return sample(random.pick(either), made, field)
  return known(field, random) ?? sampleOfType(schema, made, field)
}

function sampleOfType(schema: Schema, made: Made, field: string): unknown {
  const type = Array.isArray(schema.type) ? made.random.pick(schema.type) : schema.type
  if (type === 'object') return sampleObject(schema, made)
  if (type === 'array') return sampleList(schema, made, field)
  return samplePlain(type, schema, made)
}

function sampleList({ minItems = 0, maxItems = 3, items = {} }: Schema, made: Made, field: string): unknown {
  const { random, atLimit } = made
  const isAtLimit = random.next() < atLimit
  const length = isAtLimit
    ? Math.min(MANY, random.pick([minItems, maxItems, maxItems + 1, maxItems * 100]))
    : random.between(minItems, Math.max(minItems, Math.min(maxItems, atLimit === 0 ? 1 : 3)))
  // Menus are lists of lists of lists. Long lists on all levels would exceed the memory.
  const inner = isAtLimit ? { ...made, atLimit: 0 } : made
  return Array.from({ length }, () => sample(items, inner, field))
}

function sampleObject(schema: Schema, made: Made): Record<string, unknown> {
  const { properties = {}, required = [], additionalProperties } = schema
  const wanted = Object.entries(properties).filter(
    ([name]) => required.includes(name) || made.random.next() < 0.7,
  )
  const more = additionalProperties ? [['Monday', additionalProperties] as const] : []
  return Object.fromEntries([...wanted, ...more].map(([name, inner]) => [name, sample(inner, made, name)]))
}

function sampleAtLimit(type: string | undefined, schema: Schema, random: Random): unknown {
  const { minimum = 0, maximum = 100, minLength = 1, maxLength = 100 } = schema
  if (type === 'integer' || type === 'number') {
    const step = type === 'integer' ? 1 : 0.01
    return random.pick([
      minimum,
      minimum - step,
      maximum,
      maximum + step,
      maximum * 100,
      -maximum,
      maximum + 0.001,
    ])
  }
  if (type !== 'string') return random.pick([null, 0, 'true', 'false', 'TRUE', 1])
  return 'x'.repeat(
    random.pick(
      [minLength - 1, minLength, maxLength, maxLength + 1, maxLength * 100].map((n) => Math.max(0, n)),
    ),
  )
}

function samplePlain(type: string | undefined, schema: Schema, { random, atLimit }: Made): unknown {
  if (random.next() < atLimit) return sampleAtLimit(type, schema, random)
  if (type === 'boolean') return random.next() < 0.5
  if (type === 'null') return null
  const { minimum = 0, maximum = 100 } = schema
  if (type === 'integer') return random.between(minimum, Math.min(maximum, minimum + 100))
  if (type === 'number') return Math.round((minimum + random.next() * (maximum - minimum)) * 100) / 100
  return 'Some text'.slice(0, schema.maxLength ?? 100)
}

/** Returns the schema of a reference. */
export function resolve(reference: string): Schema {
  const schema = document.components.schemas[reference.split('/').at(-1) ?? '']
  if (!schema) throw new Error(`${reference} leads nowhere`)
  return schema
}
