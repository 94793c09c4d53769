/** A platform may have hundreds of restaurants, and a finding is one line. */
const MAX_NAMES = 10

/** Returns the names for one line. The restaurants of a chain share one name, which appears once, with their number. */
export function namesOf(restaurants: readonly { name: string }[]): string {
  const counted = [...Map.groupBy(restaurants, ({ name }) => name)].map(([name, { length }]) =>
    length === 1 ? name : `${name} (${length})`,
  )
  const more = counted.length - MAX_NAMES
  return `${counted.slice(0, MAX_NAMES).join(', ')}${more > 0 ? ` and ${more} more names` : ''}`
}
