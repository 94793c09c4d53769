import type { Fault, Operation } from '@platter/contracts'
import { z } from 'zod'
import { normalizer } from '#/http/normalize.ts'
import { Problem } from '#/http/problem.ts'
import { fieldsOf, pointers, Tidying, type UnknownField } from '#/http/request-fields.ts'

type Parts = { params?: unknown; query?: unknown; body?: unknown }

/** A parsed request: its values, and one Problem with all faults of path, query and body, or null without a fault. */
export type Parsed = {
  values: Required<Parts>
  problem: Problem | null
  /** Fields outside the operation's schema; empty for an internal request. */
  unknownFields: readonly UnknownField[]
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

const UNITS: Record<string, string> = { string: 'character', array: 'element' }

type Size = z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig

/** "must have at least 1 element", "must have at most 500 characters", "must be at most 200". */
function sizeInWords(issue: Size): string {
  const isSmall = issue.code === 'too_small'
  const bound = isSmall ? issue.minimum : issue.maximum
  const unit = UNITS[issue.origin]
  if (unit !== undefined)
    return `must have at ${isSmall ? 'least' : 'most'} ${bound} ${unit}${Number(bound) === 1 ? '' : 's'}`
  if (issue.inclusive === false) return `must be ${isSmall ? 'more' : 'less'} than ${bound}`
  return `must be at ${isSmall ? 'least' : 'most'} ${bound}`
}

function inWords(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return `is not ${KINDS[issue.expected] ?? issue.expected}`
  if (issue.code === 'invalid_value') return `is not one of ${issue.values.map(String).join(', ')}`
  if (issue.code === 'too_small' || issue.code === 'too_big') return sizeInWords(issue)
  // zod's message repeats the names, which are arbitrary text from the client.
  if (issue.code === 'unrecognized_keys') return 'has a member that is not allowed there'
  return issue.message
}

/** A schema that requires one of several fields sets `params.missing`, and its message names them. */
const missingInWords = (issue: z.core.$ZodIssue): string =>
  issue.code === 'custom' && issue.params?.['missing'] === true ? issue.message : 'is missing'

function faultOf(issue: z.core.$ZodIssue, whole: unknown, part: keyof typeof pointers): Fault {
  const pointer = pointers[part](issue.path)
  const name = issue.path.map(String).join('.') || 'The body'
  const value = valueAt(whole, issue.path)
  if (value === undefined && issue.path.length > 0)
    return { pointer, code: 'missing-field', detail: `${name} ${missingInWords(issue)}.` }
  if (value === undefined)
    return { pointer, code: 'invalid-field', detail: 'The body is missing: send JSON.' }
  // A parameter that occurs once is a string, and one that occurs more often is an array of strings.
  if (part === 'query' && Array.isArray(value))
    return { pointer, code: 'invalid-field', detail: `${name} occurs more than once in the query.` }
  return { pointer, code: 'invalid-field', detail: `${name} ${inWords(issue).replace(/\.$/, '')}.` }
}

/** Adds a hint to a missing-field fault if an unknown field has a similar name. */
function withMeant(fault: Fault, unknown: readonly UnknownField[]): Fault {
  if (fault.code !== 'missing-field') return fault
  const sent = unknown.find(({ meant }) => meant?.pointer === fault.pointer)
  if (!sent) return fault
  return { ...fault, detail: `${fault.detail} The unknown field ${sent.name} may be meant for it.` }
}

/**
 * Returns null where zod (4.6.7) throws. zod compares the `length` of any value with the maximum of a string or array. The
 * comparison throws for `{ "length": { "valueOf": null, "toString": null } }`.
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
 * Returns false for a second issue of a value of the wrong type. zod (4.6.7) also compares the `length` of such a value: a text in the
 * place of a list would have "at most 100 characters".
 */
function isRelevant({ path }: z.core.$ZodIssue, index: number, issues: readonly z.core.$ZodIssue[]): boolean {
  const before = issues[index - 1]
  return before?.code !== 'invalid_type' || before.path.join('/') !== path.join('/')
}

type Checked = { value: unknown; faults: Fault[]; unknown: readonly UnknownField[] }

const NONE = fieldsOf(z.object({}))

/** Compiles the check of one part of a request. */
function checker(part: keyof typeof pointers, schema: z.ZodType | undefined, isInternal: boolean) {
  const fields = schema ? fieldsOf(schema) : NONE
  const compiled = schema && z.compile(schema)
  const normalize = normalizer(schema ?? z.object({}))

  function tidied(given: unknown): readonly UnknownField[] {
    if (part === 'params' || isInternal) return []
    const tidying = new Tidying(part)
    tidying.tidy(given, fields)
    return tidying.unknown
  }

  function check(given: unknown): Checked {
    const unknown = tidied(given)
    if (!compiled) return { value: undefined, faults: [], unknown }
    const result = safeParse(compiled, given)
    if (result?.success) return { value: result.data, faults: [], unknown }
    const faults = result
      ? result.error.issues.filter(isRelevant).map((issue) => faultOf(issue, given, part))
      : [noPrimitive(pointers[part]([]))]
    return { value: undefined, faults, unknown }
  }

  return function checked(given: unknown): Checked {
    if (part === 'params' || isInternal) return check(given)
    // All query values are strings.
    if (part === 'query') return check(normalize(given))
    const strict = check(given)
    if (strict.faults.length === 0) return strict
    const lenient = check(normalize(given))
    if (lenient.faults.length === 0) return lenient
    return { ...strict, faults: joined(strict.faults, lenient.faults) }
  }
}

const byPointer = (faults: readonly Fault[]) => Map.groupBy(faults, ({ pointer }) => pointer)

/**
 * Joins the faults of both validations. The faults that remain in the normalized body come first, because the first fault is the one
 * that a person reads. Without it, a customer who mistypes a card number in an app that sends numbers reads "cvv is not a string".
 * Their details are those of the normalized body, where the number "is not a card number"; before, it "is not a string". Some faults
 * exist in the normalized body only, such as the missing address of an order whose method is "Delivery".
 */
function joined(strict: readonly Fault[], lenient: readonly Fault[]): Fault[] {
  const sent = byPointer(strict)
  const left = byPointer(lenient)
  const remaining = [...sent].flatMap(([pointer, faults]) => {
    const others = left.get(pointer)
    if (!others) return []
    // A member that is missing as sent stays missing: its hint names the spelling that was sent.
    return others[0]?.code === faults[0]?.code ? others : faults
  })
  return [
    ...remaining,
    ...lenient.filter(({ pointer }) => !sent.has(pointer)),
    ...strict.filter(({ pointer }) => !left.has(pointer)),
  ]
}

/**
 * Compiles an operation's request schemas once. Null and blank members of query and body are removed before parsing (`Tidying`). An
 * invalid body is normalized and parsed once more. If it is still invalid, the response has the faults of the first check, which
 * refer to the body as sent, and those that only the second check finds (`joined`). Internal requests are parsed strictly.
 */
export function requestParser(operation: Operation) {
  const isInternal = operation.audience === 'service'
  const parts = (['params', 'query', 'body'] as const).map(
    (part) => [part, checker(part, operation[part], isInternal)] as const,
  )
  return function parse(request: Parts): Parsed {
    const values: Required<Parts> = { params: undefined, query: undefined, body: undefined }
    const unknownFields: UnknownField[] = []
    const faults: Fault[] = []
    for (const [part, checked] of parts) {
      const found = checked(request[part])
      values[part] = found.value
      unknownFields.push(...found.unknown)
      faults.push(...found.faults)
    }
    if (faults.length === 0) return { values, problem: null, unknownFields }
    return {
      values,
      problem: Problem.of(faults.map((fault) => withMeant(fault, unknownFields))),
      unknownFields,
    }
  }
}
