import { spellingOf, type Spelling } from '@platter/contracts'
import { z } from 'zod'
import { foldedName } from '#/http/nearest-name.ts'
import { isAbsent, membersOf, shownSchemaOf } from '#/http/request-fields.ts'

/*
 * Normalizes values of existing clients, except null and blank, which mean absent (`Tidying`). A body is first validated unchanged.
 * Only an invalid body is normalized and validated once more. docs/moving-an-existing-app.md lists the rules.
 */

/**
 * Converts a value to the type that its schema requires. A value that cannot be converted is returned unchanged and fails
 * validation.
 */
type Normalize = (value: unknown) => unknown

const asIs: Normalize = (value) => value

/**
 * Decimals as languages print a double: `-0.12775829999998223`. An exponent is refused, because no person means `1e3` as an amount.
 */
const NUMERAL = /^-?\d{1,15}(\.\d{1,20})?$/
const TRUE = new Set(['true', '1', 'yes'])
const FALSE = new Set(['false', '0', 'no'])
/** Unicode hyphens, dashes and white space. */
const SEPARATORS = /[\s\u2010-\u2015-]/g

const asNumber: Normalize = (value) =>
  typeof value === 'string' && NUMERAL.test(value.trim()) ? Number(value) : value

function asBoolean(value: unknown): unknown {
  if (typeof value !== 'string' && typeof value !== 'number') return value
  const word = String(value).trim().toLowerCase()
  if (TRUE.has(word)) return true
  return FALSE.has(word) ? false : value
}

/** Converts only integers that JSON.parse reads exactly. Clients must send card numbers of 17 or more digits as strings. */
const asDigits = (value: unknown): unknown =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? String(value) : value

/** Restores the zeros that a number has lost: a client that reads `02134` as an integer sends `2134`. */
const asDigitsOf =
  (length: number): Normalize =>
  (value) => {
    const digits = asDigits(value)
    return typeof value === 'number' && typeof digits === 'string' ? digits.padStart(length, '0') : value
  }

function asMonth(value: unknown): unknown {
  const month = asDigits(value)
  return typeof month === 'string' && /^\s*\d\s*$/.test(month) ? `0${month.trim()}` : trimmed(month)
}

/** Removes the century: every card in use expires in this century. */
function asYear(value: unknown): unknown {
  const year = asDigits(value)
  return typeof year === 'string' ? (/^\s*20(\d\d)\s*$/.exec(year)?.[1] ?? year.trim()) : year
}

const trimmed = (value: unknown): unknown => (typeof value === 'string' ? value.trim() : value)

function asCardNumber(value: unknown): unknown {
  const number = asDigits(value)
  return typeof number === 'string' ? number.replaceAll(SEPARATORS, '') : number
}

const SPELLED: Record<Exclude<Spelling, 'record'>, Normalize> = {
  digits: asDigits,
  zip: asDigitsOf(5),
  // A verification value of four digits that begins with a zero cannot be restored.
  cvv: asDigitsOf(3),
  'card-number': asCardNumber,
  month: asMonth,
  year: asYear,
}

function asOneOf(options: readonly string[]): Normalize {
  const bySpelling = new Map(options.map((option) => [option.toLowerCase(), option]))
  return (value) => (typeof value === 'string' ? bySpelling.get(value.trim().toLowerCase()) : null) ?? value
}

/**
 * Matches member names without case and separators: `validateOnly` is `validate-only`, and without a match the request would take
 * effect. A member with the exact name takes precedence.
 */
function asObject(members: ReadonlyMap<string, Normalize>, isRecord: boolean): Normalize {
  const bySpelling = new Map([...members.keys()].map((name) => [foldedName(name), name]))
  return (given) => {
    const value = isRecord ? byItsKey(given) : given
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    const sent = value as Record<string, unknown>
    const normalized: [string, unknown][] = []
    for (const [name, member] of Object.entries(sent)) {
      const meant = members.has(name) ? name : bySpelling.get(foldedName(name))
      if (meant === undefined || (meant !== name && !isAbsent(sent[meant]))) normalized.push([name, member])
      else if (!isAbsent(member)) normalized.push([meant, members.get(meant)?.(member)])
    }
    return Object.fromEntries(normalized)
  }
}

function byItsKey(value: unknown): unknown {
  const apiKey = asDigits(value)
  return typeof apiKey === 'string' && apiKey !== '' ? { apiKey } : value
}

/** Compiles the normalization of a schema. The documented form of the schema applies. */
export function normalizer(schema: z.core.$ZodType): Normalize {
  const shown = shownSchemaOf(schema)
  const spelling = spellingOf(shown)
  if (spelling !== undefined && spelling !== 'record') return SPELLED[spelling]
  if (shown instanceof z.ZodNumber) return asNumber
  if (shown instanceof z.ZodBoolean) return asBoolean
  if (shown instanceof z.ZodEnum) return asOneOf(shown.options.map(String))
  if (shown instanceof z.ZodArray) {
    const element = normalizer(shown.element)
    return (value) => (Array.isArray(value) ? value.map(element) : value)
  }
  // Opening hours by day. Only operators send them, and existing clients are no operators.
  if (shown instanceof z.ZodRecord) return asIs
  const members = new Map(membersOf(shown).map(([name, member]) => [name, normalizer(member)]))
  return members.size === 0 ? asIs : asObject(members, spelling === 'record')
}
