import type { Fault, Operation } from '@platter/contracts'
import { z } from 'zod'
import { Problem } from './problem.ts'
import { dropAbsent, fieldsOf } from './request-fields.ts'

type Parts = { params?: unknown; query?: unknown; body?: unknown }
type Pointer = (path: PropertyKey[]) => string

const escape = (step: PropertyKey) => String(step).replaceAll('~', '~0').replaceAll('/', '~1')
const pointers: Record<keyof Parts, Pointer> = {
  params: (path) => `path/${path.map(String).join('/')}`,
  query: (path) => `query/${path.map(String).join('/')}`,
  body: (path) => path.map((step) => `/${escape(step)}`).join(''),
}

const valueAt = (whole: unknown, path: PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (value, step) => (value as Record<PropertyKey, unknown> | null | undefined)?.[step],
    whole,
  )

const KINDS: Record<string, string> = {
  int: 'an integer',
  number: 'a number',
  string: 'a string',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
}

function inWords(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return `is not ${KINDS[issue.expected] ?? issue.expected}`
  if (issue.code === 'invalid_value') return `is not one of ${issue.values.map(String).join(', ')}`
  if (issue.code === 'too_small') return `is less than ${issue.minimum}`
  if (issue.code === 'too_big') return `is more than ${issue.maximum}`
  return issue.message
}

function faultOf(issue: z.core.$ZodIssue, whole: unknown, pointer: Pointer): Fault {
  const at = pointer(issue.path)
  const name = issue.path.map(String).join('.') || 'the body'
  const missing = issue.path.length > 0 && valueAt(whole, issue.path) === undefined
  if (missing) return { pointer: at, code: 'missing-field', detail: `${name} is missing.` }
  return { pointer: at, code: 'invalid-field', detail: `${name} ${inWords(issue).replace(/\.$/, '')}.` }
}

/**
 * null where zod (4.6.7) throws: it compares the `length` of whatever was sent where text or a list belongs with
 * the most there may be, and `{ "length": { "valueOf": null, "toString": null } }` cannot be compared.
 */
function safeParse(schema: z.ZodType, value: unknown) {
  try {
    return schema.safeParse(value)
  } catch (error) {
    if (error instanceof TypeError && error.message.includes('object to primitive')) return null
    throw error
  }
}

const noPrimitive = (pointer: string): Fault => ({
  pointer,
  code: 'invalid-field',
  detail: 'An object is where text or a list belongs.',
})

/**
 * Compiles an operation's request schemas once. The parser returns their values, or throws one Problem with
 * every fault of path, query and body together. It takes null and blank members out of the request that it is given.
 */
export function requestParser(operation: Operation) {
  // Our own processes send what they mean: there a null is a value.
  const isInternal = operation.path.startsWith('/internal/')
  const schemas = (['params', 'query', 'body'] as const).flatMap((part) => {
    const schema = operation[part]
    if (!schema) return []
    return [{ part, schema: z.compile(schema), fields: isInternal ? null : fieldsOf(schema) }]
  })
  return function parse(request: Parts): Required<Parts> {
    const parsed: Required<Parts> = { params: undefined, query: undefined, body: undefined }
    const faults: Fault[] = []
    for (const { part, schema, fields } of schemas) {
      if (fields) dropAbsent(request[part], fields)
      const result = safeParse(schema, request[part])
      if (!result) faults.push(noPrimitive(pointers[part]([])))
      else if (result.success) parsed[part] = result.data
      else for (const issue of result.error.issues) faults.push(faultOf(issue, request[part], pointers[part]))
    }
    if (faults.length > 0) throw Problem.of(faults)
    return parsed
  }
}
