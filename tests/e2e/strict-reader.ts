/*
 * A decoder as strictly typed languages have it, made of nothing but what clients of the original interface declare: it knows
 * neither our schemas nor our generated document. Members that it does not know are ignored.
 */

/** A number as it is written: `8` and `8.00` are the same to JSON.parse, and different types to these readers. */
class Numeral {
  readonly source: string
  constructor(source: string) {
    this.source = source
  }
}

export type Reader = (value: unknown, path: string) => string[]

const fault = (path: string, expected: string, value: unknown): string[] => [
  `${path}: ${expected} expected, ${value instanceof Numeral ? value.source : JSON.stringify(value)} read`,
]

const numeral =
  (expected: string, pattern: RegExp): Reader =>
  (value, path) =>
    value instanceof Numeral && pattern.test(value.source) ? [] : fault(path, expected, value)

/** `double`: fails for an integer. */
export const decimal = numeral('a decimal', /^-?\d+\.\d+$/)
export const money = numeral('two decimals', /^-?\d+\.\d\d$/)
export const integer = numeral('an integer', /^-?\d+$/)

export const text: Reader = (value, path) => (typeof value === 'string' ? [] : fault(path, 'a string', value))
export const truth: Reader = (value, path) =>
  typeof value === 'boolean' ? [] : fault(path, 'true or false', value)

/** An explicit null is fine, for orders and addresses. */
export const nullable =
  (reader: Reader): Reader =>
  (value, path) =>
    value === null ? [] : reader(value, path)

/** May be absent, and is never null. */
export type Optional = { optional: Reader }
export const optional = (reader: Reader): Optional => ({ optional: reader })

export const list =
  (reader: Reader): Reader =>
  (value, path) =>
    Array.isArray(value)
      ? value.flatMap((element, index) => reader(element, `${path}/${index}`))
      : fault(path, 'an array', value)

/** Such readers take the first element without a look at the length. */
export const filledList =
  (reader: Reader): Reader =>
  (value, path) =>
    Array.isArray(value) && value.length > 0
      ? list(reader)(value, path)
      : fault(path, 'an element at least', value)

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Numeral)

export const record =
  (members: Readonly<Record<string, Reader | Optional>>): Reader =>
  (value, path) => {
    if (!isObject(value)) return fault(path, 'an object', value)
    return Object.entries(members).flatMap(([name, member]) => {
      const at = `${path}/${name}`
      if (typeof member === 'function') return member(value[name], at)
      return value[name] === undefined ? [] : member.optional(value[name], at)
    })
  }

export const dictionary =
  (reader: Reader): Reader =>
  (value, path) =>
    isObject(value)
      ? Object.entries(value).flatMap(([name, member]) => reader(member, `${path}/${name}`))
      : fault(path, 'an object', value)

/** ECMAScript 2026: the source text of a number, for which TypeScript 7.0 has no type. */
const revive = (_name: string, value: unknown, { source }: { source: string } = { source: '' }): unknown =>
  typeof value === 'number' ? new Numeral(source) : value

/** What such a reader has against an answer; empty when it can read it. */
export function complaints(reader: Reader, json: string): string[] {
  return reader(JSON.parse(json, revive as Parameters<typeof JSON.parse>[1]), '')
}
