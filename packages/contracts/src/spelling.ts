import { z } from 'zod'

/**
 * Spellings of existing clients that `normalize` (packages/kit/src/http/normalize.ts) accepts in addition to the schema. `digits`:
 * also as a number. `zip`, `cvv`: also as a number, which has lost the zeros at its beginning. `card-number`: also with spaces or
 * dashes. `month`, `year`: two digits, also as `9`, `"9"`, `2033`. `record`: an object, also as a string that is its `apiKey`.
 */
export type Spelling = 'digits' | 'zip' | 'cvv' | 'card-number' | 'month' | 'year' | 'record'

const spellings = z.registry<{ spelling: Spelling }>()

/** Marks a schema, and all schemas that are derived from it by further checks and descriptions. */
export const spelled = <S extends z.ZodType>(spelling: Spelling, schema: S): S => {
  spellings.add(schema, { spelling })
  return schema
}

export const spellingOf = (schema: z.core.$ZodType): Spelling | undefined => spellings.get(schema)?.spelling
