import type { z } from 'zod'

const documented = new WeakMap<z.core.$ZodType, z.ZodType>()

/**
 * Documents a schema with the shape of another one, for unions whose discriminator clients do not send. Describe `shape`: a
 * description of the result would apply to an unregistered copy.
 */
export function documentedAs<S extends z.ZodType>(shape: z.ZodType, schema: S): S {
  documented.set(schema, shape)
  return schema
}

/** Returns the schema that documents `schema`, if any. */
export const documentedSchemaOf = (schema: z.core.$ZodType): z.ZodType | undefined => documented.get(schema)
