import type { PublicOperation } from '#/operation.ts'
import * as declarations from '#/operations/index.ts'

const isOperation = (value: unknown): value is PublicOperation =>
  typeof value === 'object' && value !== null && 'admission' in value

const placeOf = ({ audience, path }: PublicOperation): string => `${audience} ${path}`

/** Every operation that the gateway routes: those of applications, of operators and of restaurants, each sorted by path. */
export const operations: readonly PublicOperation[] = Object.values<unknown>(declarations)
  .filter(isOperation)
  .toSorted((one, other) => placeOf(one).localeCompare(placeOf(other), 'en'))
