/** Whether the digits pass the Luhn check; 12 to 19 of them, as the card schemes issue. */
export function isCardNumber(digits: string): boolean {
  if (!/^\d{12,19}$/.test(digits)) return false
  let sum = 0
  for (let place = 0; place < digits.length; place++) {
    const digit = Number(digits[digits.length - 1 - place])
    const doubled = place % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}

const BRANDS: readonly [RegExp, string][] = [
  [/^4/, 'visa'],
  [/^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, 'mastercard'],
  [/^3[47]/, 'amex'],
  [/^(6011|65|64[4-9])/, 'discover'],
  [/^3(0[0-5]|[68])/, 'diners'],
  [/^35/, 'jcb'],
]

/** The scheme that a card number belongs to by its first digits, or `unknown`. */
export const brandOf = (digits: string): string =>
  BRANDS.find(([start]) => start.test(digits))?.[1] ?? 'unknown'

/** From 13 digits on, alone or in groups with single spaces or dashes between: a card number is 13 to 19 of them. */
export const LONG_NUMBER = /\d(?:[ -]?\d){12,}/g

const digitsOf = (run: string): string => run.replaceAll(/\D/g, '')

/**
 * A text as long as before, in which of every card number only the last four digits are left. The others are `*`:
 * kitchens print ASCII. What is written as a telephone number is left alone.
 */
export const maskCardNumbers = (text: string): string =>
  text.replaceAll(LONG_NUMBER, (run, at: number) => (isTelephone(run, text[at - 1]) ? run : masked(run)))

/**
 * The same for an e-mail address, of which only digits in a row are a card's: with dashes between they may be those of
 * a UUID, and whoever is meant by it could not be reached. What has no @ is none.
 */
export const maskInEmail = (text: string): string =>
  text.includes('@') ? text.split('-').map(maskCardNumbers).join('-') : maskCardNumbers(text)

/** E.164 with its plus has 15 digits at most; two numbers of ten digits stand side by side. */
const isTelephone = (run: string, before: string | undefined): boolean =>
  /^(?:\d{3}[ -]\d{3}[ -]\d{4}(?:[ -]|$))+$/.test(run) || (before === '+' && digitsOf(run).length <= 15)

function masked(run: string): string {
  const cards = cardNumbersIn(digitsOf(run))
  let place = -1
  return run.replaceAll(/\d/g, (digit) => {
    place++
    return cards.some(({ from, to }) => from <= place && place < to - 4) ? '*' : digit
  })
}

/**
 * Where any 13 to 19 digits in a row pass the Luhn check: an expiry or a cvv may stand right beside them. Those that
 * overlap are one, so that no card number is left beside what was found.
 */
export function cardNumbersIn(digits: string): { from: number; to: number }[] {
  const found: { from: number; to: number }[] = []
  for (let from = 0; from + 13 <= digits.length; from++)
    for (let to = from + 13; to <= from + 19 && to <= digits.length; to++) {
      if (!isCardNumber(digits.slice(from, to))) continue
      const last = found.at(-1)
      if (last && from < last.to) last.to = Math.max(last.to, to)
      else found.push({ from, to })
    }
  return found
}
