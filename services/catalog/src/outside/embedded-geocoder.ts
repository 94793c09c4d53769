import type { Place } from '#/domain/place.ts'
import { plainCapitals, type ZipCode, type ZipCodes } from '#/outside/zip-codes.ts'

type Word = { text: string; end: number; endsPart: boolean }

const COUNTRY = new Set(['US', 'USA', 'UNITED STATES', 'UNITED STATES OF AMERICA'])
const ZIP = /^(\d{5})(?:-\d{4})?$/
const MAX_COUNTRY_WORDS = 4
const MAX_CITY_WORDS = 5
const MAX_STATE_WORDS = 4

/**
 * Locates an address at the centre of its ZIP code or city, which is off by a mile or two in a city; null when it names neither. In
 * this order: the ZIP code at the end; city and state at the end; a city alone, which means the largest of that name; a ZIP code
 * anywhere. A country at the end is ignored.
 */
export function locateByZip(zipCodes: ZipCodes, given: string): Place | null {
  const address = separated(given)
  const words = wordsOf(address)
  takeFrom(words, MAX_COUNTRY_WORDS, (text) => (COUNTRY.has(text) ? text : undefined))
  const whole = [...words]
  const zip = takeFrom(words, 1, (text) => ZIP.exec(text)?.[1])
  const known = zip === undefined ? undefined : zipCodes.byZip(zip)
  const written = takeFrom(words, MAX_STATE_WORDS, (text) => zipCodes.stateOf(text))
  const state = written ?? known?.state
  const city = takeFrom(words, MAX_CITY_WORDS, (text) =>
    state === undefined ? undefined : zipCodes.byCity(text, state),
  )
  const best = known ?? city
  if (best)
    return placeAt(best, zip === undefined ? beforeZip(zipCodes, best, words) : { zip, words }, address)
  // "Washington" and "New York" are also states.
  const rest = words.length === 0 ? whole : words
  const alone = written !== undefined && words.length > 0 ? undefined : cityAlone(zipCodes, rest)
  if (alone) return placeAt(alone.code, beforeZip(zipCodes, alone.code, alone.words), address)
  const elsewhere = words.map(({ text }) => zipCodes.byZip(ZIP.exec(text)?.[1] ?? '')).findLast((one) => one)
  return elsewhere ? placeAt(elsewhere, { zip: elsewhere.zip, words: [] }, address) : null
}

/** With commas as the only separators of parts, and `WI53703` and `WI-53703` as two words. */
const separated = (address: string): string =>
  address.replaceAll(/[;|/()\n\r]/g, ', ').replaceAll(/\b([a-z]{2})-?(\d{5})\b/gi, '$1 $2')

const wordsOf = (address: string): Word[] =>
  [...address.matchAll(/([^\s,]+)(\s*,)?/g)].flatMap(({ 1: word = '', 2: comma, index }) => {
    const text = plainCapitals(word)
    if (!/[A-Z0-9]/.test(text)) return []
    return [{ text, end: index + word.length, endsPart: comma !== undefined }]
  })

/**
 * The last part, when it is a city. After a street only a city that is clearly the largest of its name: another one is hundreds of
 * miles away.
 */
function cityAlone(zipCodes: ZipCodes, words: readonly Word[]): { code: ZipCode; words: Word[] } | undefined {
  const from = words.slice(0, -1).findLastIndex(({ endsPart }) => endsPart) + 1
  const found = zipCodes.byName(
    words
      .slice(from)
      .map(({ text }) => text)
      .join(' '),
  )
  return found && (from === 0 || found.isClear)
    ? { code: found.code, words: words.slice(0, from) }
    : undefined
}

/** A ZIP code of the city before the city, and the words before that. House numbers may have five digits too. */
function beforeZip(
  zipCodes: ZipCodes,
  { city, state }: ZipCode,
  words: readonly Word[],
): { zip: string | undefined; words: readonly Word[] } {
  const at = words.findLastIndex(({ text }) => {
    const code = zipCodes.byZip(ZIP.exec(text)?.[1] ?? '')
    return code?.city === city && code.state === state
  })
  if (at < 0) return { zip: undefined, words }
  return { zip: ZIP.exec(words[at]?.text ?? '')?.[1], words: words.slice(0, at) }
}

/** Removes the longest sequence of last words that has a meaning, and returns that meaning. It does not span a comma. */
function takeFrom<T>(words: Word[], most: number, meaning: (text: string) => T | undefined): T | undefined {
  let longest = 1
  while (longest < Math.min(most, words.length) && !words[words.length - longest - 1]?.endsPart) longest++
  for (let count = longest; count > 0 && count <= words.length; count--) {
    const found = meaning(
      words
        .slice(-count)
        .map(({ text }) => text)
        .join(' '),
    )
    if (found !== undefined) {
      words.splice(-count)
      return found
    }
  }
  return undefined
}

/** The ZIP code is the written one, also when it is newer than the data: a city has several. */
const placeAt = (
  code: ZipCode,
  { zip, words }: { zip: string | undefined; words: readonly Word[] },
  address: string,
): Place => ({
  point: { latitude: code.latitude, longitude: code.longitude },
  streetAddress: address.slice(0, words.at(-1)?.end ?? 0),
  city: code.city,
  state: code.state,
  zip: zip ?? '',
})
