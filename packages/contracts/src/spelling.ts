import { z } from 'zod'

/**
 * How existing clients spell a value beside the way that its schema demands; the rules are in packages/kit/src/http/normalize.ts.
 * `digits`: also as a number. `card-number`: also with spaces or dashes. `month`, `year`: two digits, also as `9`, `"9"`, `2033`.
 * `record`: an object, also as a bare string, which is its `apiKey`.
 */
export type Spelling = 'digits' | 'card-number' | 'month' | 'year' | 'record'

const spellings = z.registry<{ spelling: Spelling }>()

/** Marks a schema, and what is made of it by further checks and descriptions. */
export const spelled = <S extends z.ZodType>(spelling: Spelling, schema: S): S => {
  spellings.add(schema, { spelling })
  return schema
}

export const spellingOf = (schema: z.core.$ZodType): Spelling | undefined => spellings.get(schema)?.spelling
