import { zipAtEnd, type Place } from '#/domain/place.ts'
import { plainCapitals, type ZipCode, type ZipCodes } from '#/outside/zip-codes.ts'

type Word = { text: string; end: number; endsPart: boolean }

const COUNTRY = new Set(['US', 'USA', 'UNITED STATES', 'UNITED STATES OF AMERICA'])
const MAX_COUNTRY_WORDS = 4
const MAX_CITY_WORDS = 5
const MAX_STATE_WORDS = 4

/**
 * Locates an address at the centre of its ZIP code or city, with an error of one or two miles in a city. Null if it contains
 * neither. Tried in this order: the ZIP code at the end; city and state at the end; a city alone, which means the largest city with
 * that name; a ZIP code anywhere, of the written state. A country at the end is ignored.
 */
export function locateByZip(zipCodes: ZipCodes, given: string): Place | null {
  const address = separated(given)
  const words = wordsOf(address)
  takeFrom(words, MAX_COUNTRY_WORDS, (text) => (COUNTRY.has(text) ? text : undefined))
  const whole = [...words]
  const zip = takeFrom(words, 1, (text) => zipAtEnd(text) || undefined)
  const known = zip === undefined ? undefined : zipCodes.byZip(zip)
  const written = takeFrom(words, MAX_STATE_WORDS, (text) => zipCodes.stateOf(text))
  const state = written ?? known?.state
  const city = takeFrom(words, MAX_CITY_WORDS, (text) =>
    state === undefined ? undefined : zipCodes.byCity(text, state),
  )
  const best = known ?? city
  if (best)
    return placeAt(best, zip === undefined ? beforeZip(zipCodes, best, words) : { zip, words }, address)
  // "Washington" and "New York" are names of states too.
  const alone = cityAlone(zipCodes, written === undefined ? words : whole, written)
  if (alone) return placeAt(alone.code, beforeZip(zipCodes, alone.code, alone.words), address)
  const elsewhere = zipAnywhere(zipCodes, { words, zip, state: written })
  return elsewhere ? placeAt(elsewhere, { zip: elsewhere.zip, words: [] }, address) : null
}

type Rest = { words: readonly Word[]; zip: string | undefined; state: string | undefined }

/** Five digits are a house number before another ZIP code, and if they are a ZIP code of another state than the written one. */
function zipAnywhere(zipCodes: ZipCodes, { words, zip, state }: Rest): ZipCode | undefined {
  if (zip !== undefined) return undefined
  return words
    .map(({ text }) => zipCodes.byZip(zipAtEnd(text)))
    .findLast((code) => code && (state === undefined || code.state === state))
}

const textOf = (words: readonly Word[]): string => words.map(({ text }) => text).join(' ')

/** Makes commas the only separators of parts, and splits `WI53703` and `WI-53703` into two words. */
const separated = (address: string): string =>
  address.replaceAll(/[;|/()\n\r]/g, ', ').replaceAll(/\b([a-z]{2})-?(\d{5})\b/gi, '$1 $2')

const wordsOf = (address: string): Word[] =>
  [...address.matchAll(/([^\s,]+)(\s*,)?/g)].flatMap(({ 1: word = '', 2: comma, index }) => {
    const text = plainCapitals(word)
    if (!/[A-Z0-9]/.test(text)) return []
    return [{ text, end: index + word.length, endsPart: comma !== undefined }]
  })

/**
 * Returns the last part if it is a city. After a street, the city must be clearly the largest with its name: another city with the
 * same name is hundreds of miles away. A city with the name of a state must be in that state: "1 Main St, Indiana" is not in
 * Indiana, Pennsylvania.
 */
function cityAlone(zipCodes: ZipCodes, words: readonly Word[], state: string | undefined) {
  const from = words.slice(0, -1).findLastIndex(({ endsPart }) => endsPart) + 1
  const found = zipCodes.byName(textOf(words.slice(from)))
  const isMeant = from === 0 || (found?.isClear && found.code.state === (state ?? found.code.state))
  return found && isMeant ? { code: found.code, words: words.slice(0, from) } : undefined
}

/** Finds a ZIP code of the city before the city, and the words before it. House numbers may have five digits too. */
function beforeZip(
  zipCodes: ZipCodes,
  { city, state }: ZipCode,
  words: readonly Word[],
): { zip: string | undefined; words: readonly Word[] } {
  const at = words.findLastIndex(({ text }) => {
    const code = zipCodes.byZip(zipAtEnd(text))
    return code?.city === city && code.state === state
  })
  const word = words[at]
  return word ? { zip: zipAtEnd(word.text), words: words.slice(0, at) } : { zip: undefined, words }
}

/** Removes the longest sequence of last words that has a meaning, and returns that meaning. The sequence does not span a comma. */
function takeFrom<T>(words: Word[], most: number, meaning: (text: string) => T | undefined): T | undefined {
  let longest = 1
  while (longest < Math.min(most, words.length) && !words[words.length - longest - 1]?.endsPart) longest++
  for (let count = longest; count > 0 && count <= words.length; count--) {
    const found = meaning(textOf(words.slice(-count)))
    if (found !== undefined) {
      words.splice(-count)
      return found
    }
  }
  return undefined
}

/** Keeps the written ZIP code, even if it is newer than the data, because a city has several. */
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
