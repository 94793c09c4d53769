import type { Random } from '../../support/random.ts'

const nested = (depth: number): unknown => {
  let value: unknown = 'deep'
  for (let level = 0; level < depth; level++) value = level % 2 ? [value] : { a: value }
  return value
}

const TEXTS = [
  '',
  ' ',
  '\t\n\r',
  '\u0000',
  'a\u0000b',
  '\u001B[31m',
  '\u007F',
  '\uD800',
  'x\uDC00',
  '\uFFFF',
  '\uFEFF',
  '\u202Egnp.exe',
  'Z\u0351\u036B\u0343'.repeat(30),
  'ﷺ'.repeat(100),
  '👩‍👩‍👧‍👦',
  'İıſK',
  "' or '1'='1",
  "'; drop table x; --",
  '../../../../etc/passwd',
  '..\\..\\windows',
  '<script>alert(1)</script>',
  '${7*7}{{7*7}}',
  '%s%n%d',
  '%00%zz',
  'x'.repeat(101),
  'x'.repeat(10_000),
  'x'.repeat(60_000),
  'x'.repeat(100_000),
  'e\u0301'.repeat(40),
  '1 '.repeat(40_000),
  'a@'.repeat(40_000),
  'NaN',
  'Infinity',
  '-1e309',
  'true',
  'null',
  '0x1F',
  '1e999',
  '-0',
  '٣',
  '1'.repeat(400),
  '0.1'.repeat(20),
  '2026-02-30T25:61:61Z',
  'platter_live_nonsense',
  '4242424242424242',
]
const NUMBERS = [
  0,
  -0,
  -1,
  0.1,
  0.001,
  1.005,
  1e-320,
  1e21,
  1e308,
  -1e308,
  2 ** 31,
  2 ** 53,
  2 ** 63,
  -(2 ** 63),
  Number.MAX_SAFE_INTEGER,
  Number.MIN_VALUE,
]
const OTHERS: unknown[] = [
  null,
  true,
  false,
  [],
  {},
  [[]],
  [null],
  [7],
  ['x', { a: 1 }],
  Array.from({ length: 300 }, () => null),
  Array.from({ length: 3_000 }, () => ({ apiKey: 'x' })),
  { apiKey: {} },
  { apiKey: [null] },
  { length: 1e9 },
  { length: -1 },
  { length: { toString: 1, valueOf: null } },
  { size: { toString: 1, valueOf: null } },
  { toString: 1, valueOf: null },
  { toJSON: 'x' },
  { $gt: '' },
  { 'a/b~c': 1 },
  { '': '' },
  nested(30),
  nested(300),
]

export const nastyText = (random: Random): string => random.pick(TEXTS)

const nasty = (random: Random): unknown => {
  const turn = random.next()
  return turn < 0.45
    ? nastyText(random)
    : turn < 0.65
      ? random.pick(NUMBERS)
      : structuredClone(random.pick(OTHERS))
}

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
  const container = random.pick(containers) as Record<string, unknown>
  const names = Object.keys(container)
  const name = names.length > 0 ? random.pick(names) : '0'
  const turn = random.next()
  if (turn < 0.55) container[name] = nasty(random)
  else if (turn < 0.7) delete container[name]
  else if (turn < 0.8) container[name] = [container[name]]
  else if (turn < 0.9)
    container[random.pick(['extra', 'constructor', 'hasOwnProperty', nastyText(random)])] = nasty(random)
  else container[name] = random.pick(containers.map((one) => structuredClone(one)))
  return value
}

/** Applies faults that a value cannot express: invalid numbers, duplicate names, syntax that JSON does not have. */
export function mutateText(text: string, random: Random): string {
  const at = random.between(0, text.length)
  const turn = random.between(0, 10)
  if (turn === 10) {
    const depth = random.pick([1_000, 4_000, 10_000, 30_000, 500_000])
    return text.replace(/"[^"]*"(?=[,}\]])/, `${'['.repeat(depth)}${']'.repeat(depth)}`)
  }
  if (turn === 0)
    return text.replace(
      /-?\d+(\.\d+)?/,
      random.pick(['1e400', '-1e400', '9'.repeat(400), '01', '+1', '.5', 'NaN', '1e', '0x10']),
    )
  if (turn === 1) return text.replace('{', '{"__proto__":{"test":true},')
  if (turn === 2) return text.replace('{', '{"constructor":{"prototype":{"x":1}},')
  if (turn === 3) return text.replace('{', `{"apiKey":1,"apiKey":2,`)
  if (turn === 4) return text.slice(0, at)
  if (turn === 5)
    return `${text.slice(0, at)}${random.pick(['\u0000', '"', '\\', '\\u00', '//', '/*', ',', '}', '[[[['])}${text.slice(at)}`
  if (turn === 6) return `${random.pick(['\uFEFF', ' ', '\n', ")]}',\n"])}${text}`
  if (turn === 7) return text + random.pick(['x', '\u0000', text, ' ', '\n\n'])
  if (turn === 8) return text.replaceAll('"', "'")
  return random.pick(['[', '{"a":']).repeat(random.pick([100, 5_000, 60_000]))
}

/** Applies faults that are not text. */
export function mutateBytes(bytes: Buffer, random: Random): Buffer {
  const turn = random.between(0, 5)
  if (turn === 0)
    return Buffer.from(Array.from({ length: random.between(1, 3_000) }, () => random.between(0, 255)))
  if (turn === 1) return Buffer.from(bytes.toString(), 'utf16le')
  if (turn === 2) return Buffer.concat([Buffer.from([0xff, 0xfe, 0x00]), bytes])
  if (turn === 3) return Buffer.alloc(random.pick([65_536, 65_537, 100_000]), 0x20)
  const flipped = Buffer.from(bytes)
  for (let flips = random.between(1, 8); flips > 0 && flipped.length > 0; flips--) {
    flipped[random.between(0, flipped.length - 1)] = random.between(0, 255)
  }
  return flipped
}
