import fc from 'fast-check'
import { BROKEN_JSON } from '../../support/broken-json.ts'
import type { Random } from '../../support/random.ts'

/** Returns a generator of values that a seed repeats. */
const generatorOf =
  <T>(arbitrary: fc.Arbitrary<T>) =>
  (random: Random): T =>
    fc.sample(arbitrary, { seed: random.between(0, 2 ** 31 - 1), numRuns: 1 })[0] as T

// Values -------------------------------------------------------------------------------------------------------

/** Texts with a meaning to a parser, a shell, a template or a database. */
const WORDS =
  "null true NaN Infinity -1e309 1e999 0x1F -0 2026-02-30T25:61:61Z '--;drop%20table%20x ../../../../etc/passwd " +
  '..\\..\\windows <script>alert(1)</script> ${7*7}{{7*7}} %s%n%d %00%zz İıſK \u001B[31m \u202Egnp.exe ' +
  'platter_live_nonsense 4242424242424242'
/** Repeated, they reach the limits of texts, headers and bodies, and the slowest cases of regular expressions. */
const UNITS = ['x', '1', '0.1', '1 ', 'a@', 'e\u0301', 'Z\u0351\u036B\u0343', 'ﷺ', '👩‍👩‍👧‍👦']
const LONGEST = 100_000

/** UTF-16 code units, so also halves of surrogate pairs. */
const codeUnit = fc.oneof(
  fc.constantFrom(...'\u0000\t\n\r \u001B"\'\\\u007F\uD800\uDC00\uFEFF\uFFFF٣'.split('')),
  fc.nat(0xffff).map((code) => String.fromCharCode(code)),
)
const repeated = fc
  .tuple(fc.constantFrom(...UNITS), fc.constantFrom(1, 40, 101, 10_000, 40_000, LONGEST))
  .map(([unit, count]) => unit.repeat(count).slice(0, LONGEST))
const text = fc.oneof(fc.constantFrom(...WORDS.split(' ')), fc.string({ unit: codeUnit }), repeated)

const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.maxSafeInteger(),
  fc.constantFrom(-0, -1, 0.001, 1.005, 2 ** 31, 2 ** 53, 2 ** 63, 1e21),
)

/** Names of methods that code calls on values, names that a database or a pointer interprets, and a known name. */
const NAMES = 'length size toString valueOf toJSON constructor hasOwnProperty $gt a/b~c apiKey'.split(' ')
const nested = (depth: number): unknown => {
  let value: unknown = 'deep'
  for (let level = 0; level < depth; level++) value = level % 2 ? [value] : { a: value }
  return value
}
const listOf = (apiKey: string | null, count: number) =>
  Array.from({ length: count }, () => apiKey && { apiKey })
const container = fc.oneof(
  fc.anything({
    key: fc.constantFrom('', ...NAMES),
    values: [fc.constantFrom(null, true, false, 1, 1e9, -1), fc.string()],
  }),
  fc.constantFrom(30, 300).map(nested),
  fc.tuple(fc.constantFrom(null, 'x'), fc.constantFrom(1, 300, 3_000)).map((args) => listOf(...args)),
)

export const nastyText = generatorOf(text)
const nasty = generatorOf<unknown>(
  fc.oneof(
    { weight: 9, arbitrary: text },
    { weight: 4, arbitrary: number },
    { weight: 7, arbitrary: container },
  ),
)

// Bodies -------------------------------------------------------------------------------------------------------

const NEW_NAMES = ['extra', 'constructor', 'hasOwnProperty']
type Container = Record<string, unknown> | unknown[]
const isContainer = (value: unknown): value is Container => typeof value === 'object' && value !== null

/** Returns every object and list in a value, including the value, up to a depth that a parser would still read. */
function containersIn(value: unknown, depth = 0): Container[] {
  if (!isContainer(value) || depth > 8) return []
  return [value, ...Object.values(value).flatMap((inner) => containersIn(inner, depth + 1))]
}

/** Changes one random place of a value. Returns the value or its replacement. */
export function mutate(value: unknown, random: Random): unknown {
  const containers = containersIn(value)
  if (containers.length === 0 || random.next() < 0.05) return nasty(random)
  const chosen = random.pick(containers) as Record<string, unknown>
  const names = Object.keys(chosen)
  const name = names.length > 0 ? random.pick(names) : '0'
  const turn = random.next()
  if (turn < 0.55) chosen[name] = nasty(random)
  else if (turn < 0.7) delete chosen[name]
  else if (turn < 0.8) chosen[name] = [chosen[name]]
  else if (turn < 0.9) chosen[random.pick([...NEW_NAMES, nastyText(random)])] = nasty(random)
  else chosen[name] = random.pick(containers.map((one) => structuredClone(one)))
  return value
}

/** Applies a fault that a value cannot express: wrong syntax, wrong bytes. */
export function mutateJson(json: string, random: Random): string | Buffer {
  const at = random.between(0, json.length)
  const depth = random.pick([1_000, 10_000, 30_000, 500_000])
  return random.pick<() => string | Buffer>([
    ...Object.values(BROKEN_JSON).map((spoil) => () => spoil(json, random)),
    () =>
      json.slice(0, at) + random.pick(['\u0000', '"', '\\', '\\u00', ',', '}', '\uFEFF']) + json.slice(at),
    () => json.replace(/-?\d+(\.\d+)?/, random.pick(['1e400', '-1e400', '9'.repeat(400), '1e', '+1'])),
    () => json.replace('{', '{"apiKey":1,"apiKey":2,'),
    () => json.replace(/"[^"]*"(?=[,}\]])/, '['.repeat(depth) + ']'.repeat(depth)),
    () => ' '.repeat(random.pick([65_536, 65_537, 100_000])) + json,
    () => Buffer.from(Array.from({ length: random.between(1, 3_000) }, () => random.between(0, 255))),
    () => withFlippedBytes(Buffer.from(json), random),
  ])()
}

function withFlippedBytes(bytes: Buffer, random: Random): Buffer {
  for (let flips = random.between(1, 8); flips > 0 && bytes.length > 0; flips--)
    bytes[random.between(0, bytes.length - 1)] = random.between(0, 255)
  return bytes
}
