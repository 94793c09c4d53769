import { faceOf } from '@platter/contracts'
import { z } from 'zod'

/** The names that a schema has at one level, and the levels below them. Neither: a value without members. */
export type Fields = {
  members: ReadonlyMap<string, Fields>
  element: Fields | null
}

const VALUE: Fields = { members: new Map(), element: null }

/** The fields of a request's schema, as its documentation shows them. */
export function fieldsOf(schema: z.core.$ZodType): Fields {
  const shown = faceOf(schema) ?? schema
  if (shown instanceof z.ZodObject) return membersOf(Object.entries<z.core.$ZodType>(shown.shape))
  if (shown instanceof z.ZodRecord) return membersOf(entriesOf(shown))
  if (shown instanceof z.ZodArray) return { members: VALUE.members, element: fieldsOf(shown.element) }
  if (shown instanceof z.ZodUnion) return shown.options.map(fieldsOf).reduce(joined)
  if (shown instanceof z.ZodPipe) return fieldsOf(shown.in instanceof z.ZodTransform ? shown.out : shown.in)
  if (shown instanceof z.ZodOptional || shown instanceof z.ZodNullable || shown instanceof z.ZodDefault)
    return fieldsOf(shown.unwrap())
  return VALUE
}

/** Of a record whose names are listed: the days of a week. */
const entriesOf = ({ keyType, valueType }: z.ZodRecord): [string, z.core.$ZodType][] =>
  keyType instanceof z.ZodEnum ? keyType.options.map((name) => [String(name), valueType]) : []

const membersOf = (members: readonly (readonly [string, z.core.$ZodType])[]): Fields => ({
  members: new Map(members.map(([name, schema]) => [name, fieldsOf(schema)])),
  element: null,
})

function joined(one: Fields, other: Fields): Fields {
  const members = new Map(one.members)
  for (const [name, fields] of other.members) {
    const known = members.get(name)
    members.set(name, known ? joined(known, fields) : fields)
  }
  const element = one.element && other.element ? joined(one.element, other.element) : one.element
  return { members, element: element ?? other.element }
}

/** In JSON null, in a query string nothing behind the `=`: neither is a value (interface.md, "Lenient in"). */
const isAbsent = (value: unknown): boolean => value === undefined || value === null || value === ''

/**
 * Takes every member out of a request that is null or blank, in place: to its schema it is absent. Elements of lists stay,
 * as the places of the others count.
 */
export function dropAbsent(value: unknown, { members, element }: Fields): void {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    if (element) for (const one of value) dropAbsent(one, element)
    return
  }
  const object = value as Record<string, unknown>
  for (const [name, fields] of members) {
    const member = object[name]
    if (member === undefined) continue
    if (isAbsent(member)) delete object[name]
    else if (fields !== VALUE) dropAbsent(member, fields)
  }
}
