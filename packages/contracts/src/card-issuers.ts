/** Returns true for 12 to 19 digits, the lengths that card schemes issue, with a valid Luhn check digit. */
export const isCardNumber = (digits: string): boolean =>
  /^\d{12,19}$/.test(digits) && passesLuhn(Array.from(digits, Number), 0, digits.length)

/** ISO/IEC 7812-1, annex B: doubles every second digit, from the last but one. */
export function passesLuhn(digits: ArrayLike<number>, from: number, to: number): boolean {
  let sum = 0
  for (let place = from; place < to; place++) {
    const digit = digits[place] ?? 0
    const counted = (to - place) % 2 === 0 ? digit * 2 : digit
    sum += counted > 9 ? counted - 9 : counted
  }
  return sum % 10 === 0
}

// Issuers ------------------------------------------------------------------------------------------------------

export const SHORTEST = 12
export const LONGEST = 19

/** `starts`: the first one to four digits of card numbers, or a range of these. */
type Issuer = {
  brand: string
  starts: readonly (number | readonly [first: number, last: number])[]
  lengths: readonly number[]
}

const atLeast = (length: number): number[] =>
  Array.from({ length: LONGEST - length + 1 }, (_, more) => length + more)

/**
 * The issuer identification numbers (ISO/IEC 7812-1) and the lengths of numbers, as the card schemes publish them. The first
 * issuer that matches is the brand. Maestro's range 60 to 69 includes the numbers of Elo, Troy and Verve.
 */
const ISSUERS: readonly Issuer[] = [
  { brand: 'visa', starts: [4], lengths: [13, 16, 18, 19] },
  {
    brand: 'mastercard',
    starts: [
      [51, 55],
      [2221, 2720],
    ],
    lengths: [16],
  },
  { brand: 'amex', starts: [34, 37], lengths: [15] },
  { brand: 'discover', starts: [6011, [644, 649], 65], lengths: atLeast(16) },
  { brand: 'diners', starts: [[300, 305], 309, 36, 38, 39], lengths: atLeast(14) },
  { brand: 'jcb', starts: [[3528, 3589]], lengths: atLeast(16) },
  { brand: 'jcb', starts: [1800, 2131], lengths: [15] },
  { brand: 'unionpay', starts: [62, 81], lengths: atLeast(16) },
  // Maestro; RuPay, Mir, Uzcard, NAPAS, Troy and Humo.
  { brand: 'unknown', starts: [50, [56, 69]], lengths: atLeast(SHORTEST) },
  { brand: 'unknown', starts: [82, [2200, 2205], 8600, 9704, 9792, 9860], lengths: atLeast(16) },
]

/** Indexed by the first four digits of a number: the brand, and one bit for each permitted length. */
const BRANDS: string[] = []
const LENGTHS = new Uint32Array(10_000)
for (const { brand, starts, lengths } of ISSUERS) {
  const bits = lengths.reduce((all, length) => all | (1 << length), 0)
  for (const start of starts) {
    const [first, last] = typeof start === 'number' ? [start, start] : start
    const scale = 10 ** (4 - String(first).length)
    for (let four = first * scale; four < (last + 1) * scale; four++) {
      BRANDS[four] ??= brand
      LENGTHS[four] = (LENGTHS[four] ?? 0) | bits
    }
  }
}

/** Returns whether a card scheme issues numbers of this length with these first four digits. */
export const isIssued = (four: number, length: number): boolean =>
  ((LENGTHS[four] ?? 0) & (1 << length)) !== 0

/** Returns the card scheme of a number by its first four digits, or `unknown`. */
export const brandOf = (digits: string): string => BRANDS[Number(digits.slice(0, 4))] ?? 'unknown'
