/** Returns the smallest value that is not below at least `share` of the values, or 0 without values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).toSorted()
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0
}

export function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).toSorted()
  const half = Math.floor(sorted.length / 2)
  const [low = NaN, high = NaN] = [sorted[half - (sorted.length % 2 === 0 ? 1 : 0)], sorted[half]]
  return (low + high) / 2
}

/** Counts the occurrences of each value. */
export function tally<T extends string | number>(values: readonly T[]): Partial<Record<T, number>> {
  const counts: Partial<Record<T, number>> = {}
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1
  return counts
}

/** Formats counts of statuses: `846 × 503, 2 × 504`. */
export const formatStatuses = (counts: Partial<Record<number, number>>): string =>
  Object.entries(counts)
    .map(([status, count]) => `${count} × ${status}`)
    .join(', ')
