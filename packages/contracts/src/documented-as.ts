import type { z } from 'zod'

const documented = new WeakMap<z.core.$ZodType, z.ZodType>()

/**
 * Documents a schema as another one, for unions whose discriminator clients do not send. Describe the documented schema: a
 * description of the result would be on a copy, which is not registered.
 */
export function documentedAs<S extends z.ZodType>(shape: z.ZodType, schema: S): S {
  documented.set(schema, shape)
  return schema
}

/** The schema that documents another one, if any. */
export const documentedSchemaOf = (schema: z.core.$ZodType): z.ZodType | undefined => documented.get(schema)
