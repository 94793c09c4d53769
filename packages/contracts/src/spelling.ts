import { z } from 'zod'

/**
 * Spellings of existing clients that `normalize` accepts beside that of the schema (packages/kit/src/http/normalize.ts). `digits`: also as a number. `card-number`: also with spaces or dashes. `month`, `year`: two digits, also as `9`, `"9"`, `2033`.
 * `record`: an object, also as a bare string, which is its `apiKey`.
 */
export type Spelling = 'digits' | 'card-number' | 'month' | 'year' | 'record'

const spellings = z.registry<{ spelling: Spelling }>()

/** Marks a schema and all schemas that further checks and descriptions derive from it. */
export const spelled = <S extends z.ZodType>(spelling: Spelling, schema: S): S => {
  spellings.add(schema, { spelling })
  return schema
}

export const spellingOf = (schema: z.core.$ZodType): Spelling | undefined => spellings.get(schema)?.spelling
