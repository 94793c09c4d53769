import { z } from 'zod'
import { faceOf } from '#/shown-as.ts'
import { isJson, type Json } from '#/openapi/json.ts'

type Direction = 'input' | 'output'
type Override = NonNullable<NonNullable<Parameters<typeof z.toJSONSchema>[1]>['override']>
type Overridden = Parameters<Override>[0]

const HERE = '#/$defs/'
const COMPONENTS = '#/components/schemas/'

/**
 * Turns the contracts' schemas into the document's. Those with an id become components, the others stand
 * where they are used.
 */
export class Schemas {
  readonly components: Record<string, Json> = {}

  /** A body that a client sends: everything lenient or transformed as the plain value that it stands for. */
  input(schema: z.ZodType): Json {
    return withDefaultsInWords(this.#convert(schema, 'input'))
  }

  /** What a client gets. */
  output(schema: z.ZodType): Json {
    return withDefaultsInWords(this.#convert(schema, 'output'))
  }

  /** The members of a path or query. */
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
    const face = faceOf(zodSchema)
    if (face) replace(schema, this.#convert(face, io))
    dropWhatSaysNothing(schema)
    if (zodSchema instanceof z.ZodDefault) schema['default'] ??= zodSchema.def.defaultValue
    if (io === 'input') dropWhatMayBeAbsent(schema, zodSchema)
    joinNull(schema)
  }

  /** Two schemas of one id that are not the same would silently document one of them wrongly. */
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
 * Records only grow, so a client has to expect members that it does not know; and that an integer is a safe
 * one is how zod works and not a bound of ours.
 */
function dropWhatSaysNothing(schema: Json): void {
  if (schema['additionalProperties'] === false) delete schema['additionalProperties']
  if (schema['minimum'] === Number.MIN_SAFE_INTEGER) delete schema['minimum']
  if (schema['maximum'] === Number.MAX_SAFE_INTEGER) delete schema['maximum']
  const { propertyNames } = schema
  if (isJson(propertyNames) && propertyNames['enum'] === undefined) delete schema['propertyNames']
}

/** zod counts a member as required when only its preprocessing makes it optional; so it is asked. */
function dropWhatMayBeAbsent(schema: Json, zodSchema: z.core.$ZodType): void {
  if (!(zodSchema instanceof z.ZodObject) || !Array.isArray(schema['required'])) return
  const shape = zodSchema.shape as Record<string, z.ZodType>
  const required = schema['required'].filter((name: string) => !shape[name]?.safeParse(undefined).success)
  if (required.length > 0) schema['required'] = required
  else delete schema['required']
}

/** `anyOf: [{ type: string, … }, { type: null }]` is easier to read as `type: [string, null], …`. */
function joinNull(schema: Json): void {
  const { anyOf, ...others } = schema
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return
  const [value, nothing] = anyOf as [Json, Json]
  if (nothing['type'] !== 'null' || typeof value['type'] !== 'string' || value['enum']) return
  delete schema['anyOf']
  Object.assign(schema, value, others, { type: [value['type'], 'null'] })
}

/** The same schema, its references leading to the document's components. */
const pointToComponents = (schema: Json): Json =>
  mapObjects(schema, (one) =>
    typeof one['$ref'] === 'string' ? { ...one, $ref: one['$ref'].replace(HERE, COMPONENTS) } : one,
  )

/**
 * A member's default as part of its description. Generators take one that has a `default` for one that is
 * always there (openapi-typescript 7 does), so that a client would have to send it.
 */
const withDefaultsInWords = (schema: Json): Json =>
  mapObjects(schema, ({ default: fallback, ...one }) => {
    if (fallback === undefined) return one
    const description = typeof one['description'] === 'string' ? `${one['description']} ` : ''
    return { ...one, description: `${description}Default: \`${JSON.stringify(fallback)}\`.` }
  })

/** The same with every object in it changed, inner ones first. */
function mapObjects(schema: Json, change: (one: Json) => Json): Json {
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk)
    if (!isJson(value)) return value
    return change(Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, walk(inner)])))
  }
  return walk(schema) as Json
}
