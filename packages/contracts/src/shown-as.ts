import type { z } from 'zod'

const faces = new WeakMap<z.core.$ZodType, z.ZodType>()

/**
 * What a client should send where a schema accepts more than that: the documentation shows `face` in its
 * place. For unions that are told apart by a member of our own making. Describe the face: a description of the
 * result is put on a copy, which has none.
 */
export function shownAs<S extends z.ZodType>(face: z.ZodType, schema: S): S {
  faces.set(schema, face)
  return schema
}

export const faceOf = (schema: z.core.$ZodType): z.ZodType | undefined => faces.get(schema)
