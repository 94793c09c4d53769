/** Removes case and separators, so that `first_name`, `FirstName` and `firstname` are equal. */
export const foldedName = (name: string): string => name.toLowerCase().replaceAll(/[\s_-]/g, '')

/** Longer than every known name. The cost of a comparison is quadratic in the length. */
const LONGEST = 40

/**
 * Returns the number of typing errors (a letter added, missing or wrong, or two letters swapped) between a name and a known name.
 * Null if more than a quarter of the letters differ. One error is always accepted if the first letters are equal.
 */
export function typosBetween(name: string, known: string): number | null {
  if (name.length > LONGEST) return null
  const [one, other] = [foldedName(name), foldedName(known)]
  const longer = Math.max(one.length, other.length)
  const most = Math.max(Math.floor(longer / 4), one[0] === other[0] ? 1 : 0)
  if (Math.abs(one.length - other.length) > most) return null
  const typos = editDistance(one, other)
  return typos > most ? null : typos
}

/** Optimal string alignment: https://en.wikipedia.org/wiki/Damerau–Levenshtein_distance. */
function editDistance(one: string, other: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (let row = 1; row <= one.length; row++) {
    const current = [row]
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1]
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      current.push(
        Math.min(
          (last[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (last[column - 1] ?? 0) + (isSame ? 0 : 1),
          isSwapped ? (beforeLast[column - 2] ?? 0) + 1 : Infinity,
        ),
      )
    }
    ;[beforeLast, last] = [last, current]
  }
  return last[other.length] ?? 0
}

/** Returns the known name with the fewest typing errors; undefined if no known name is similar. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  let nearest: { name: string; typos: number } | undefined
  for (const candidate of known) {
    const typos = typosBetween(name, candidate)
    if (typos !== null && typos < (nearest?.typos ?? Infinity)) nearest = { name: candidate, typos }
  }
  return nearest?.name
}
