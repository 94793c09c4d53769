import { readIfPresent } from '../../dev/process/identity.ts'

/** Reads the entries of a development ledger (one JSON object per line). Returns none if the file does not exist yet. */
export const readLines = <T>(file: string): T[] =>
  (readIfPresent(file) ?? '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T)
