import type { z } from 'zod'
import { Problem } from '#/http/problem.ts'

/** Where a page of a list ends, opaque to clients: base64url of its JSON. */
const writeCursor = (position: unknown): string => Buffer.from(JSON.stringify(position)).toString('base64url')

/** The position in a cursor of ours. Throws Problem invalid-field for anything else. */
export function readCursor<S extends z.ZodType>(cursor: string, position: S): z.output<S> {
  try {
    return position.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()))
  } catch (cause) {
    const detail = 'cursor is not one of a Link header.'
    throw new Problem('invalid-field', detail, {
      faults: [{ pointer: 'query/cursor', code: 'invalid-field', detail }],
      cause,
    })
  }
}

/** The `Link` header to the next page: the request's own path and query, and where to go on. */
export function nextPage(url: string, position: unknown): string {
  const next = new URL(url, 'http://relative')
  next.searchParams.set('cursor', writeCursor(position))
  return `<${next.pathname}${next.search}>; rel="next"`
}
