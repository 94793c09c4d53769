import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { brandOf, isCardNumber } from '#/card-issuers.ts'
import { findCardNumbers, maskCardNumbers } from '#/card-number.ts'
import { NewAddress } from '#/inputs.ts'
import { RegisterUser } from '#/operations/register-user.ts'
import { filledText, text } from '#/values.ts'

// Masked numbers -----------------------------------------------------------------------------------------------

/** Returns a number with the separator between its groups, and the masked number. */
const grouped = (separator: string) => [
  ['4242', '4242', '4242', '4242'].join(separator),
  ['****', '****', '****', '4242'].join(separator),
]
/** Returns the number in the digits of another script, and the masked number. `zero` is the code point of its zero. */
const inDigitsFrom = (zero: number) => {
  const digits = Array.from('4242424242424242', (digit) => String.fromCodePoint(zero + Number(digit)))
  return [digits.join(''), `************${digits.slice(-4).join('')}`]
}

test.each([
  ['bare', 'charge 4242424242424242!', 'charge ************4242!'],
  ['with spaces', ...grouped(' ')],
  ['with dashes', ...grouped('-')],
  ['with dots', ...grouped('.')],
  ['with slashes', ...grouped('/')],
  ['with slashes between spaces', ...grouped(' / ')],
  ['with backslashes', ...grouped('\\')],
  ['with underscores', ...grouped('_')],
  ['with bars', ...grouped('|')],
  ['with middle dots', ...grouped('·')],
  ['with tabs', ...grouped('\t')],
  ['with line breaks', ...grouped('\n')],
  ['with line breaks of Windows', ...grouped('\r\n')],
  ['with line breaks in JSON', ...grouped(String.raw`\n`)],
  ['with escaped characters in JSON', ...grouped(String.raw`\u00a0`)],
  ['with line separators (U+2028)', ...grouped('\u2028')],
  ['with no-break spaces (U+00A0)', ...grouped('\u00A0')],
  ['with narrow no-break spaces (U+202F)', ...grouped('\u202F')],
  ['with thin spaces (U+2009)', ...grouped('\u2009')],
  ['with figure spaces (U+2007)', ...grouped('\u2007')],
  ['with ideographic spaces (U+3000)', ...grouped('\u3000')],
  ['with en dashes (U+2013)', ...grouped('\u2013')],
  ['with em dashes (U+2014)', ...grouped(' \u2014 ')],
  ['with minus signs (U+2212)', ...grouped('\u2212')],
  ['with zero-width spaces (U+200B)', ...grouped('\u200B')],
  ['with zero-width joiners (U+200D)', ...grouped('\u200D')],
  ['with word joiners (U+2060)', ...grouped('\u2060')],
  ['with byte order marks (U+FEFF)', ...grouped('\uFEFF')],
  ['with soft hyphens (U+00AD)', ...grouped('\u00AD')],
  ['with bidirectional marks (U+200E)', ...grouped('\u200E')],
  ['with full-width full stops (U+FF0E)', ...grouped('\uFF0E')],
  ['with three separators between two digits', ...grouped(' - ')],
  [
    'with a space after each digit',
    ...['4242424242424242', '************4242'].map((one) => one.split('').join(' ')),
  ],
  ['in full-width digits', ...inDigitsFrom(0xff10)],
  ['in Arabic-Indic digits', ...inDigitsFrom(0x660)],
  ['in Devanagari digits', ...inDigitsFrom(0x966)],
  ['in mathematical bold digits', ...inDigitsFrom(0x1d7ce)],
  ['in mathematical monospace digits', ...inDigitsFrom(0x1d7f6)],
  ['in keycap emoji', '4️⃣ 2️⃣ '.repeat(8), '*️⃣ '.repeat(12) + '4️⃣ 2️⃣ 4️⃣ 2️⃣ '],
  ['of Maestro with 12 digits', '501800000009', '********0009'],
  ['of Visa with 13 digits', '4222222222222', '*********2222'],
  ['of Diners Club with 14 digits', '3056 930902 5904', '**** ****** 5904'],
  ['of American Express with 15 digits', '3782 822463 10005', '**** ****** *0005'],
  ['of Maestro with 19 digits', '6304000000000000000', '***************0000'],
  [
    'of 19 digits in five groups before a ZIP code',
    '6205 5000 0000 0000 004 53703',
    '**** **** **** ***0 004 53703',
  ],
  ['of Mastercard, from the 2-series', '2223 0031 2200 3222', '**** **** **** 3222'],
  ['of UnionPay', '6200000000000005', '************0005'],
  ['right behind a word', 'visa4242424242424242', 'visa************4242'],
  ['right behind a word with hexadecimal letters', 'card378282246310005', 'card***********0005'],
  ['right before a word', '4242424242424242thanks', '************4242thanks'],
  ['behind a plus', '+4242424242424242', '+************4242'],
  ['before an @', '4242424242424242@example.org', '************4242@example.org'],
  [
    'within an e-mail address',
    'maria+4242-4242-4242-4242@example.org',
    'maria+****-****-****-4242@example.org',
  ],
  ['behind another number', 'table 5 4242 4242 4242 4242', 'table 5 **** **** **** 4242'],
  ['behind a ZIP code', '53703 4242424242424242', '53703 ************4242'],
  ['before a quantity', '4242424242424242 - 1', '************4242 - 1'],
  ['after another one', '4242424242424242, 378282246310005', '************4242, ***********0005'],
  [
    'on the next line after another one',
    '4242424242424242\n5555555555554444',
    '************4242\n************4444',
  ],
  [
    'in groups after another one',
    '4242 4242 4242 4242 5555 5555 5555 4444',
    '**** **** **** 4242 **** **** **** 4444',
  ],
])('masks a card number %s', (_, typed, masked) => {
  expect(maskCardNumbers(typed)).toBe(masked)
})

test.each([
  ['4242424242424242 0931', '************4242 ****'],
  ['4242 4242 4242 4242 09/31 314', '**** **** **** 4242 **/** ***'],
  ['4242-4242-4242-4242 9/2031 1234', '****-****-****-4242 */**** ****'],
  ['4242424242424242 314', '************4242 ***'],
  ['4242424242424242 314 09/31', '************4242 *** **/**'],
  ['42424242424242420931314', '************4242*******'],
  ['378282246310005 09/31 1234', '***********0005 **/** ****'],
  ['53703 4242424242424242 09/31', '53703 ************4242 **/**'],
  ['4242424242424242, 09/31', '************4242, 09/31'],
])('masks the expiry and the cvv right behind a card number as well: %s', (typed, masked) => {
  expect(maskCardNumbers(typed)).toBe(masked)
})

// Unchanged texts ----------------------------------------------------------------------------------------------

test.each([
  ['a telephone number', '608-555-0142'],
  ['a telephone number with its country code', '1 608 555 0142'],
  ['a telephone number with its area code in brackets', '(608) 555-0142'],
  ['a telephone number in the format of E.164', '+4915112345676'],
  ['a telephone number with a zero in brackets', '+49 (0)4012 345678901'],
  ['a telephone number with a zero in brackets and a space behind it', '+49 (0) 4000 0000 0000 2'],
  ['a telephone number with two zeros and a zero in brackets', '0049 (0)4012 345678901'],
  ['a telephone number with two zeros before its country code', '001 509817003320'],
  ['two telephone numbers', '608-555-0142 608-555-0143'],
  ['a ZIP+4 code', '53703-2201'],
  ['a timestamp in microseconds in an e-mail address', 'and17953778599023884@example.test'],
  ['a number that fails the Luhn check', '4242424242424243'],
  ['a number of no issuer', '1000000000000008'],
  ['a number too long for its issuer', '42424242424242420'],
  ['digits with four separators between two of them', '42424242    42424242'],
  ['a number longer than any card number', '4242424242424242'.repeat(3)],
  ['an apiKey', 'f4f7bdddedd6fb15f517e8f07c36feac3a10071975783f70'],
  ['an apiKey with the digits of a card number', 'f4f7bdddedd6fb15f517e8f07c36feac4242424242424242'],
  ['a UUID', 'maria.42424242-4242-4242-8242-42424242424a@example.org'],
  ['a UUID of digits only', 'maria.42424242-4242-4242-8242-424242424242@example.org'],
])('leaves %s unchanged', (_, typed) => {
  expect(maskCardNumbers(typed)).toBe(typed)
})

// Properties ---------------------------------------------------------------------------------------------------

/** First digits and a length, as the schemes issue them. */
const issued = fc.constantFrom(
  ...([
    ['4', 13],
    ['4', 16],
    ['4', 18],
    ['4', 19],
    ['51', 16],
    ['55', 16],
    ['2221', 16],
    ['2720', 16],
  ] as const),
  ...([
    ['34', 15],
    ['37', 15],
    ['6011', 16],
    ['644', 16],
    ['65', 19],
    ['300', 14],
    ['36', 14],
    ['38', 16],
    ['39', 19],
  ] as const),
  ...([
    ['3528', 16],
    ['3589', 19],
    ['2131', 15],
    ['62', 16],
    ['62', 19],
    ['81', 17],
    ['2200', 16],
    ['2204', 19],
  ] as const),
  ...([
    ['50', 12],
    ['56', 13],
    ['58', 14],
    ['6304', 12],
    ['6759', 16],
    ['69', 19],
    ['60', 16],
    ['82', 16],
    ['9792', 16],
  ] as const),
)
const cardNumber = issued.chain(([start, length]) =>
  fc
    .stringMatching(new RegExp(String.raw`^\d{${length - 1 - start.length}}$`))
    .map((middle) => Array.from('0123456789', (digit) => start + middle + digit).find(isCardNumber)!),
)
const SEPARATORS =
  ' -./_|\\\t\n\r\u00A0\u00AD\u2007\u2009\u200B\u200D\u200E\u2013\u2014\u2028\u202F\u2060\u2212\u2215\u3000\uFEFF\uFF0F'
const separator = fc
  .array(fc.constantFrom(...SEPARATORS.split('')), { maxLength: 3 })
  .map((separators) => separators.join(''))
const ZEROS = [0x30, 0x660, 0x6f0, 0x966, 0xff10, 0x1d7ce, 0x1d7ec]

const written = fc
  .tuple(cardNumber, fc.array(separator, { minLength: 18, maxLength: 18 }), fc.constantFrom(...ZEROS))
  .map(([number, separators, zero]) => {
    const digits = Array.from(number, (digit) => String.fromCodePoint(zero + Number(digit)))
    const write = (characters: string[]) =>
      characters.map((one, place) => one + (place < characters.length - 1 ? separators[place] : '')).join('')
    return {
      typed: write(digits),
      masked: write([...digits.slice(0, -4).map(() => '*'), ...digits.slice(-4)]),
    }
  })

test('masks every card number, whatever separators and digits it is written with, and leaves all other characters', () => {
  const around = fc.constantFrom('', ' ', 'card:', '(', ') ', ', thanks', 'visa', '\n\n\n\n')
  fc.assert(
    fc.property(written, around, around, ({ typed, masked }, before, after) => {
      expect(maskCardNumbers(before + typed + after)).toBe(before + masked + after)
      expect(maskCardNumbers(masked)).toBe(masked)
    }),
    { numRuns: 1_000 },
  )
})

const digits = (length: number) => fc.stringMatching(new RegExp(String.raw`^\d{${length}}$`))

test('masks no telephone number in its usual notations', () => {
  const some = (least: number, most: number) => fc.integer({ min: least, max: most }).chain(digits)
  const country = fc.constantFrom(
    '1',
    '7',
    '33',
    '34',
    '39',
    '44',
    '45',
    '49',
    '52',
    '55',
    '57',
    '60',
    '62',
    '65',
    '81',
    '351',
    '380',
    '593',
    '670',
  )
  const gap = fc.constantFrom(' ', '-', '.', '/', ' / ', '\u00A0', '')
  const north = fc.tuple(digits(3), digits(3), digits(4))
  const telephone = fc.oneof(
    fc.tuple(country, gap, some(2, 4), gap, some(3, 4), gap, some(2, 4)).map((parts) => `+${parts.join('')}`),
    fc
      .tuple(country, gap, some(2, 4), gap, some(3, 8))
      .map(([code, one, area, two, rest]) => `+${code}${one}(0)${two}${area}${one}${rest}`),
    fc
      .tuple(country, gap, some(2, 4), gap, some(3, 8))
      .map(([code, one, area, two, rest]) => `+${code} (${area})${one}${rest}${two}`),
    fc.tuple(country, gap, some(2, 4), gap, some(3, 8)).map((parts) => `00${parts.join('')}`),
    fc.tuple(some(2, 4), gap, some(3, 4), gap, some(2, 4)).map((parts) => `0${parts.join('')}`),
    north.map(([area, exchange, line]) => `(${area}) ${exchange}-${line}`),
    fc.tuple(north, fc.constantFrom('-', ' ', '.')).map(([parts, between]) => parts.join(between)),
    fc
      .tuple(north, north, fc.constantFrom('-', ' ', '.'))
      .map(([one, other, between]) => `${one.join(between)} ${other.join(between)}`),
  )
  const before = fc.constantFrom('', 'call ', ' (', ', ')
  const after = fc.constantFrom('', ')', ', thanks', ' please', ' ext. 12')
  fc.assert(
    fc.property(telephone, before, after, (number, start, end) => {
      const typed = start + number + end
      expect(maskCardNumbers(typed)).toBe(typed)
    }),
    { numRuns: 2_000 },
  )
})

test('changes only digits, each into one *', () => {
  const typed = fc
    .array(
      fc.oneof(
        written.map((one) => one.typed),
        fc.string(),
        fc.stringMatching(/^[\d -]{1,40}$/),
      ),
    )
    .map((parts) => parts.join(''))
  fc.assert(
    fc.property(typed, (value) => {
      const [before, after] = [Array.from(value), Array.from(maskCardNumbers(value))]
      expect(after).toHaveLength(before.length)
      const changed = before.filter((character, place) => character !== after[place])
      expect(changed.filter((character) => !/^\p{Nd}$/u.test(character))).toEqual([])
      expect(after.filter((character, place) => character !== before[place] && character !== '*')).toEqual([])
    }),
  )
})

// Running time -------------------------------------------------------------------------------------------------

/** CPU time of this thread in milliseconds, which other processes hardly change; the least of several. */
function timeOf(work: () => void): number {
  return Math.min(
    ...Array.from({ length: 3 }, () => {
      const before = process.threadCpuUsage()
      work()
      return process.threadCpuUsage(before).user / 1_000
    }),
  )
}

describe('running time of findCardNumbers', () => {
  test.each([
    ['digits', '4'],
    ['digits with separators', '4 '],
    ['digits with three separators', '4 - '],
    ['card numbers', '4242424242424242'],
    ['card numbers, one after the other', '4242424242424242 '],
    ['groups with overlapping card numbers', '6304 '],
    ['numbers of 12 and 19 digits', '600000000000 6000000000000000000 '],
    ['telephone numbers', '608-555-0142 '],
    ['hexadecimal digits', '4242424242424242a'],
    ['dashes and digits', '4242-4242-4242-4242-a-'],
    ['backslashes', '\\'],
    ['full-width digits', '\uFF14'],
  ])('is linear in the length of %s', (_, piece) => {
    const times = 16
    const short = piece.repeat(20_000 / piece.length)
    const long = short.repeat(times)
    findCardNumbers(long)
    const ofShort = timeOf(() => {
      for (let time = 0; time < times; time++) findCardNumbers(short)
    })
    // The same number of characters: 16 times as long if each were compared with all others. The clock ticks by 4 ms.
    expect(timeOf(() => void findCardNumbers(long))).toBeLessThan(6 * ofShort + 40)
  })
})

// Uses ---------------------------------------------------------------------------------------------------------

test('text() and filledText() check the length of the sent text, and mask card numbers', () => {
  expect(text(16).parse('4242424242424242')).toBe('************4242')
  expect(text(15).safeParse('4242424242424242').success).toBe(false)
  expect(filledText(20).parse(' 4242424242424242 ')).toBe('************4242')
  const address = { streetAddress: '4242 4242 4242 4242', city: 'Madison', state: 'WI', zip: '53703' }
  expect(NewAddress.parse(address)).toMatchObject({ streetAddress: '**** **** **** 4242' })
})

test('a text above its maximum length has this fault only, without further checks', () => {
  const result = text(500).safeParse(`\u0000${'4'.repeat(60_000)}`)
  expect(result.error?.issues.map(({ message }) => message)).toEqual(['is longer than 500 characters'])
})

test.each([
  ['and17953778599023884@example.test', true],
  ['maria.lindqvist.6085550142@example.test', true],
  ['4242424242424242@example.test', false],
  ['maria-4242-4242-4242-4242@example.test', false],
])('%s may be the e-mail address of a user: %s', (email, isTaken) => {
  const maria = {
    firstName: 'Maria',
    lastName: 'Lindqvist',
    phone: '608-555-0142',
    password: 'a long enough password',
  }
  expect(RegisterUser.body.safeParse({ ...maria, email }).success).toBe(isTaken)
})

test.each([
  ['4242424242424242', 'visa'],
  ['2223003122003222', 'mastercard'],
  ['5555555555554444', 'mastercard'],
  ['378282246310005', 'amex'],
  ['6011111111111117', 'discover'],
  ['30569309025904', 'diners'],
  ['3566002020360505', 'jcb'],
  ['6200000000000005', 'unionpay'],
  ['501800000009', 'unknown'],
])('%s is a card of the brand %s', (number, brand) => {
  expect(brandOf(number)).toBe(brand)
})
