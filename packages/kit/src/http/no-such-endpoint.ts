import { audienceOf, operations, templateOf, type Operation } from '@platter/contracts'
import type { FastifyRequest } from 'fastify'
import { typosBetween } from '#/http/nearest-name.ts'
import { Problem } from '#/http/problem.ts'

/** Longer paths are not compared with the known paths. */
const LONGEST_PATH = 300

const segmentsOf = (path: string): string[] => path.split('/').filter((segment) => segment !== '')

const known = operations.map((operation) => ({ operation, segments: segmentsOf(operation.path) }))

/** Returns the problem of a path that does not exist. It suggests the endpoint with the most similar path, if there is one. */
export function noSuchEndpoint({ method, url }: Pick<FastifyRequest, 'method' | 'url'>): Problem {
  const nearest = nearestOperation(method, url.split(/[?#]/, 1)[0] ?? '')
  const hint = nearest ? ` Did you mean ${nearest.method} ${templateOf(nearest.path)}?` : ''
  return new Problem('no-such-endpoint', `There is no such endpoint.${hint}`)
}

/**
 * Returns the operation of the path's audience whose path has the fewest typing errors. If several have the same number, an equal
 * method decides. A path without an audience is compared with all paths, with and without their first segments (`/publicapi/v1`).
 */
export function nearestOperation(method: string, path: string): Operation | null {
  if (path.length > LONGEST_PATH) return null
  const given = segmentsOf(path)
  const audience = audienceOf(path)
  let nearest: { operation: Operation; distance: number } | null = null
  for (const { operation, segments } of known) {
    if (audience !== undefined && operation.audience !== audience) continue
    const tails = audience === undefined ? [segments, segments.slice(1), segments.slice(2)] : [segments]
    // A half error decides only between paths with the same number of errors.
    const distance =
      Math.min(...tails.map((tail) => distanceOf(given, tail))) + (operation.method === method ? 0 : 0.5)
    if (distance < (nearest?.distance ?? Infinity)) nearest = { operation, distance }
  }
  return nearest?.operation ?? null
}

/** Returns the typing errors in all segments. A parameter matches any segment; a missing parameter is one more error. */
function distanceOf([given, ...others]: readonly string[], [segment, ...rest]: readonly string[]): number {
  if (segment === undefined) return given === undefined ? 0 : Infinity
  const isParameter = segment.startsWith(':')
  const leftOut = isParameter ? 1 + distanceOf(given === undefined ? [] : [given, ...others], rest) : Infinity
  if (given === undefined) return leftOut
  const typos = isParameter ? 0 : typosBetween(given, segment)
  return Math.min(leftOut, typos === null ? Infinity : typos + distanceOf(others, rest))
}
