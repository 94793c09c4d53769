import type { PublicOperation } from '#/operation.ts'
import * as declarations from '#/operations/index.ts'

const isOperation = (value: unknown): value is PublicOperation =>
  typeof value === 'object' && value !== null && 'admission' in value

/** A tilde follows all letters, so that `restaurant/search` precedes `restaurant/:apiKey`, which matches its path too. */
const placeOf = ({ audience, path }: PublicOperation): string => `${audience} ${path.replaceAll(':', '~')}`

/** Every operation that the gateway routes: those of applications, of operators and of restaurants, each sorted by path. */
export const operations: readonly PublicOperation[] = Object.values<unknown>(declarations)
  .filter(isOperation)
  .toSorted((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1))
