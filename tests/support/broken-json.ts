import type { Random } from './random.ts'

type Spoil = (json: string, random: Random) => string | Buffer

const insertedFirst =
  (text: string): Spoil =>
  (json) =>
    json.replace('{', `{${text}`)

/** Bodies that are no valid request, made of the JSON of a valid one. Each body gets status 400. */
export const BROKEN_JSON: Readonly<Record<string, Spoil>> = {
  'that ends early': (json, random) => json.slice(0, random.between(1, json.length - 1)),
  'with something behind it': (json, random) => json + random.pick(['}', 'x', '\u0000', json]),
  'with something before it': (json, random) => random.pick([")]}',\n", '[', '{"a":', ',']) + json,
  'in single quotes': (json) => json.replaceAll('"', "'"),
  'that is a string': (json) => JSON.stringify(json),
  'that is a list': (json) => `[${json}]`,
  'with a prototype': insertedFirst('"__proto__":{"test":true},'),
  'with a constructor': insertedFirst('"constructor":{"prototype":{"x":1}},'),
  'with an invalid number': (json, random) =>
    insertedFirst(`"a":${random.pick(['01', '+1', '.5', 'NaN', '1e', '0x10'])},`)(json, random),
  'with a character that JSON does not have there': (json, random) =>
    insertedFirst(random.pick(['\u0000', '\\', '\\u00', '//', '/*', ',', '[[[[']))(json, random),
  'of open brackets only': (json, random) => random.pick(['[', '{"a":']).repeat(5_000) + json,
  'in UTF-16': (json) => Buffer.from(json, 'utf16le'),
  'that is no UTF-8': (json) => Buffer.concat([Buffer.from(json.slice(0, -1)), Buffer.from([0xff, 0x7d])]),
}
