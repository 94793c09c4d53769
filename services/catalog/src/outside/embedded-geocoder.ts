import type { Place } from '#/domain/place.ts'
import type { ZipCode, ZipCodes } from './zip-codes.ts'

type Word = { text: string; end: number; endsPart: boolean }

const COUNTRY = new Set(['US', 'USA', 'UNITED STATES', 'UNITED STATES OF AMERICA'])
const ZIP = /^(\d{5})(?:-\d{4})?$/
const SHORT_FORMS: Readonly<Record<string, string>> = { ST: 'SAINT', STE: 'SAINTE', FT: 'FORT', MT: 'MOUNT' }
const MOST_WORDS_OF_A_COUNTRY = 4
const MOST_WORDS_OF_A_CITY = 5
const MOST_WORDS_OF_A_STATE = 4

/**
 * Finds the ZIP code, or city and state, that an address in words ends with, and takes the middle of the ZIP
 * code's area for the address (a mile or two off in a city); null when it finds neither.
 */
export function locateByZip(zipCodes: ZipCodes, address: string): Place | null {
  const words = wordsOf(address)
  takeFrom(words, MOST_WORDS_OF_A_COUNTRY, (text) => (COUNTRY.has(text) ? text : undefined))
  const zip = takeFrom(words, 1, (text) => ZIP.exec(text)?.[1])
  const known = zip === undefined ? undefined : zipCodes.byZip(zip)
  const state = takeFrom(words, MOST_WORDS_OF_A_STATE, (text) => zipCodes.stateOf(text)) ?? known?.state
  const inState = (text: string) => (state === undefined ? undefined : zipCodes.byCity(inFull(text), state))
  const city = takeFrom(words, MOST_WORDS_OF_A_CITY, inState)
  const best = known ?? city
  if (best) return placeAt(best, { zip, street: address.slice(0, words.at(-1)?.end ?? 0) })
  const elsewhere = words.map(({ text }) => zipCodes.byZip(ZIP.exec(text)?.[1] ?? '')).findLast((one) => one)
  return elsewhere ? placeAt(elsewhere, { zip: elsewhere.zip, street: '' }) : null
}

/** In capital letters and without full stops, each with the place where it ends in the address. */
const wordsOf = (address: string): Word[] =>
  [...address.matchAll(/([^\s,]+)(\s*,)?/g)].map(({ 1: word = '', 2: comma, index }) => ({
    text: word.toUpperCase().replaceAll('.', ''),
    end: index + word.length,
    endsPart: comma !== undefined,
  }))

/** Takes the last words, as many as possible but not across a comma, when together they mean something. */
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

const inFull = (city: string): string =>
  city.replace(/^(STE?|FT|MT) /, (_, short: string) => `${SHORT_FORMS[short] ?? short} `)

/** The ZIP code is the one that was written down, also when it is newer than our data: a city has several. */
const placeAt = (code: ZipCode, { zip, street }: { zip: string | undefined; street: string }): Place => ({
  point: { latitude: code.latitude, longitude: code.longitude },
  streetAddress: street,
  city: code.city,
  state: code.state,
  zip: zip ?? '',
})
