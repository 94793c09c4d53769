import { documentedSchemaOf } from '@platter/contracts'
import { z } from 'zod'
import { isJson, type Json } from './json.ts'

type Direction = 'input' | 'output'
type Override = NonNullable<NonNullable<Parameters<typeof z.toJSONSchema>[1]>['override']>
type Overridden = Parameters<Override>[0]

const HERE = '#/$defs/'
const COMPONENTS = '#/components/schemas/'

/** Converts zod schemas to JSON Schema. Schemas with an id become components of the document. */
export class Schemas {
  readonly components: Record<string, Json> = {}

  /** Converts a request body: a lenient or transformed schema becomes the plain value that a client should send. */
  input(schema: z.ZodType): Json {
    return withDefaultsInWords(this.#convert(schema, 'input'))
  }

  /** Converts a response body. */
  output(schema: z.ZodType): Json {
    return withDefaultsInWords(this.#convert(schema, 'output'))
  }

  /** Converts the parameters of a path or query. */
  parameters(schema: z.ZodType): { properties: Record<string, Json>; required: string[] } {
    const { properties = {}, required = [] } = this.#convert(schema, 'input')
    return { properties: properties as Record<string, Json>, required: required as string[] }
  }

  #convert(schema: z.ZodType, io: Direction): Json {
    const {
      $schema: _dialect,
      $defs = {},
      ...converted
    } = z.toJSONSchema(schema, {
      io,
      target: 'draft-2020-12',
      override: (overridden) => this.#improve(overridden, io),
    }) as Json & { $defs?: Record<string, Json> }
    for (const [id, component] of Object.entries($defs))
      this.#keep(id, withDefaultsInWords(pointToComponents(component)))
    return pointToComponents(converted)
  }

  #improve({ zodSchema, jsonSchema }: Overridden, io: Direction): void {
    const schema = jsonSchema as Json
    const face = documentedSchemaOf(zodSchema)
    if (face) replace(schema, this.#convert(face, io))
    if (zodSchema instanceof z.ZodDefault) schema['default'] ??= zodSchema.def.defaultValue
    if (io === 'input') dropOptional(schema, zodSchema)
    joinNull(schema)
    // Called last, because zod may visit the value of a nullable after the nullable itself, which was already joined.
    dropImplied(schema)
  }

  /** Throws for two different schemas with the same id: one of them would be documented incorrectly. */
  #keep(id: string, component: Json): void {
    const known = this.components[id]
    if (known && JSON.stringify(known) !== JSON.stringify(component))
      throw new Error(`Two different schemas have the id ${id}`)
    this.components[id] = component
  }
}

function replace(schema: Json, by: Json): void {
  for (const name of Object.keys(schema)) delete schema[name]
  Object.assign(schema, by)
}

/**
 * Drops implied constraints. Later versions add members to records, so clients must accept unknown members. zod limits every
 * integer to the safe integers.
 */
function dropImplied(schema: Json): void {
  if (schema['additionalProperties'] === false) delete schema['additionalProperties']
  if (schema['minimum'] === Number.MIN_SAFE_INTEGER) delete schema['minimum']
  if (schema['maximum'] === Number.MAX_SAFE_INTEGER) delete schema['maximum']
  const { propertyNames } = schema
  if (isJson(propertyNames) && propertyNames['enum'] === undefined) delete schema['propertyNames']
}

/** zod reports a member as required if only its preprocessing makes it optional, so each member is parsed. */
function dropOptional(schema: Json, zodSchema: z.core.$ZodType): void {
  if (!(zodSchema instanceof z.ZodObject) || !Array.isArray(schema['required'])) return
  const shape = zodSchema.shape as Record<string, z.ZodType>
  const required = schema['required'].filter((name: string) => !shape[name]?.safeParse(undefined).success)
  if (required.length > 0) schema['required'] = required
  else delete schema['required']
}

/** Joins null: `anyOf: [{ type: string, … }, { type: null }]` is easier to read as `type: [string, null], …`. */
function joinNull(schema: Json): void {
  const { anyOf, ...others } = schema
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return
  const [value, nothing] = anyOf as [Json, Json]
  if (nothing['type'] !== 'null' || typeof value['type'] !== 'string' || value['enum']) return
  delete schema['anyOf']
  Object.assign(schema, value, others, { type: [value['type'], 'null'] })
}

/** Replaces references of zod with references to the components of the document. */
const pointToComponents = (schema: Json): Json =>
  mapObjects(schema, (one) =>
    typeof one['$ref'] === 'string' ? { ...one, $ref: one['$ref'].replace(HERE, COMPONENTS) } : one,
  )

/**
 * Moves the default of a member into its description. Generators make a member with a `default` mandatory (openapi-typescript 7),
 * so clients would have to send it.
 */
const withDefaultsInWords = (schema: Json): Json =>
  mapObjects(schema, ({ default: fallback, ...one }) => {
    if (fallback === undefined) return one
    const description = typeof one['description'] === 'string' ? `${one['description']} ` : ''
    return { ...one, description: `${description}Default: \`${JSON.stringify(fallback)}\`.` }
  })

/** Applies `change` to every object of a schema, inner ones first. */
function mapObjects(schema: Json, change: (one: Json) => Json): Json {
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk)
    if (!isJson(value)) return value
    return change(Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, walk(inner)])))
  }
  return walk(schema) as Json
}
