import type { Fault } from '@platter/contracts'

/** A record of a request body with its pointer. */
type Located<R> = { record: R; pointer: string }

/** Returns the records of a list at `pointer`, each with its own pointer. */
export const located = <R>(records: readonly R[], pointer: string): Located<R>[] =>
  records.map((record, index) => ({ record, pointer: `${pointer}/${index}` }))

type Keyed = Located<{ apiKey: string }>

/** Returns a fault for each record whose apiKey an earlier record has. */
export function repeatedKeys(records: readonly Keyed[]): Fault[] {
  const seen = new Set<string>()
  return records.flatMap(({ record: { apiKey }, pointer }) => {
    if (!seen.has(apiKey)) return (seen.add(apiKey), [])
    return [
      {
        pointer: `${pointer}/apiKey`,
        code: 'invalid-field',
        detail: `The apiKey ${apiKey} is used twice.`,
      },
    ]
  })
}

/** Returns a fault for each record whose apiKey is in `taken`, the keys of other restaurants. */
export const takenKeys = (records: readonly Keyed[], taken: ReadonlySet<string>): Fault[] =>
  records
    .filter(({ record }) => taken.has(record.apiKey))
    .map(({ pointer }) => ({
      pointer: `${pointer}/apiKey`,
      code: 'apikey-taken',
      detail: 'This apiKey belongs to another restaurant.',
    }))
