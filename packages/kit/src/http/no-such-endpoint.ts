import { audiences, operations, templateOf, type Operation } from '@platter/contracts'
import type { FastifyRequest } from 'fastify'
import { typosBetween } from '#/http/nearest.ts'
import { Problem } from '#/http/problem.ts'

/** Longer than any path that somebody has typed; what is longer is not compared. */
const LONGEST_PATH = 300

const segmentsOf = (path: string): string[] => path.split('/').filter((segment) => segment !== '')

const known = operations.map((operation) => ({ operation, segments: segmentsOf(operation.path) }))

/** The refusal of a path that does not exist; it names the endpoint with the nearest path, if any is near. */
export function noSuchEndpoint({ method, url }: Pick<FastifyRequest, 'method' | 'url'>): Problem {
  const nearest = nearestOperation(method, url.split(/[?#]/, 1)[0] ?? '')
  const hint = nearest ? ` Did you mean ${nearest.method} ${templateOf(nearest.path)}?` : ''
  return new Problem('no-such-endpoint', `There is no such endpoint.${hint}`)
}

/**
 * Of the operations of the path's audience the one whose path has the fewest typing errors; of two, the one of that method.
 * A path of no audience is compared with those of all, also without `/publicapi/v1` before it.
 */
export function nearestOperation(method: string, path: string): Operation | null {
  if (path.length > LONGEST_PATH) return null
  const given = segmentsOf(path)
  const prefix = Object.keys(audiences).find((one) => path.startsWith(`${one}/`))
  let nearest: { operation: Operation; distance: number } | null = null
  for (const { operation, segments } of known) {
    if (prefix !== undefined && !operation.path.startsWith(`${prefix}/`)) continue
    const tails = prefix === undefined ? [segments, segments.slice(1), segments.slice(2)] : [segments]
    // Half an error is less than any: it decides only between paths that are equally near.
    const distance =
      Math.min(...tails.map((tail) => distanceOf(given, tail))) + (operation.method === method ? 0 : 0.5)
    if (distance < (nearest?.distance ?? Infinity)) nearest = { operation, distance }
  }
  return nearest?.operation ?? null
}

/** Typing errors in all segments; a parameter is anything, and one more error where it is left out. */
function distanceOf([given, ...others]: readonly string[], [segment, ...rest]: readonly string[]): number {
  if (segment === undefined) return given === undefined ? 0 : Infinity
  const isParameter = segment.startsWith(':')
  const leftOut = isParameter ? 1 + distanceOf(given === undefined ? [] : [given, ...others], rest) : Infinity
  if (given === undefined) return leftOut
  const typos = isParameter ? 0 : typosBetween(given, segment)
  return Math.min(leftOut, typos === null ? Infinity : typos + distanceOf(others, rest))
}
