import type { Saving } from '@platter/contracts'

type Texts<F> = Record<keyof F, string | null>

/**
 * Decides whether a new card or address of an order is saved in addition to the user's records. A full account does not fail the
 * order.
 */
export function savingOf<F extends object>(
  record: F & Texts<F>,
  saved: readonly (Texts<F> & { apiKey: string | null })[],
  max: number,
): Saving {
  const same = saved.find((one) => isSame(record, one))
  if (same && same.apiKey !== null) return { kind: 'saved', apiKey: same.apiKey }
  return { kind: saved.length < max ? 'room' : 'full' }
}

const isSame = <F extends object>(record: F & Texts<F>, saved: Texts<F>): boolean =>
  (Object.keys(record) as (keyof F)[]).every(
    (field) => normalized(record[field]) === normalized(saved[field]),
  )

/** Normalizes a text, so that texts are equal if they differ only in case, spaces and Unicode composition. Null is empty. */
const normalized = (text: string | null): string =>
  (text ?? '').normalize('NFKC').trim().replaceAll(/\s+/g, ' ').toLowerCase()
