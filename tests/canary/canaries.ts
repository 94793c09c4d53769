import { isCardNumber } from '@platter/contracts'
import { randomOf, type Random } from '../support/random.ts'

/** A card with a number of its own: wherever its number turns up, it came from the one request that it was made for. */
export type CanaryCard = { number: string; cvv: string; holder: string }

/** What must not be found, and what each thing is. */
export type Needles = {
  /** Card numbers, digits only. */
  numbers: ReadonlyMap<string, string>
  /** Passwords, access keys and other texts, each of the shape `WORD`. */
  words: ReadonlyMap<string, string>
  /** The cvv of each card, by the name of its holder. */
  cvvs: ReadonlyMap<string, { cvv: string; what: string }>
}

/** The words' beginnings: what a search looks for before it looks a word up. */
export const WORD_STARTS = ['cnry', 'platter_live_', 'platter_test_'] as const
/** A word of ours, or an access key as Platter makes them. */
export const WORD = /cnry[a-z2-7]{24}|platter_(?:live|test)_[0-9A-Za-z]{36}/g
/** The name of a canary's holder, which may be stored. */
export const HOLDER = /Cnh[a-z2-7]{12}/g

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'.split('')
/** First digits of schemes that issue numbers of this length. */
const STARTS: Readonly<Record<number, string>> = {
  13: '4',
  14: '36',
  15: '37',
  16: '4',
  18: '65',
  19: '6304',
}
const LENGTHS = [16, 16, 16, 16, 15, 14, 13, 18, 19]

/** The development processor refuses these (dev/processor/src/cards.ts): not unique, and secret as well. */
export const DECLINED = ['4000000000000002', '4000000000009995', '4000000000000127', '4000000000000119']

/** Makes canaries, each only once, and remembers all of them. The same seed makes the same ones. */
export class Canaries implements Needles {
  readonly numbers = new Map<string, string>()
  readonly words = new Map<string, string>()
  readonly cvvs = new Map<string, { cvv: string; what: string }>()
  readonly #random: Random

  constructor(seed: number) {
    this.#random = randomOf(seed)
    for (const number of DECLINED) this.numbers.set(number, 'card number that is declined')
  }

  /** Of every length that cards have; passes the Luhn check. `what` says where it is going to be put. */
  number(what: string): string {
    const length = this.#random.pick(LENGTHS)
    let start = STARTS[length] ?? '4'
    while (start.length < length - 1) start += String(this.#random.between(1, 9))
    const number = Array.from('0123456789', (digit) => start + digit).find(isCardNumber) ?? ''
    if (this.numbers.has(number)) return this.number(what)
    this.numbers.set(number, `card number: ${what}`)
    return number
  }

  /**
   * Three digits are in every file, so a cvv is of four and begins with 0: no number is written like that, and the
   * last four digits of no canary. It is searched for beside the name of its holder, which is stored wherever a card is.
   */
  card(what: string, number = this.number(what)): CanaryCard {
    const cvv = `0${this.#random.between(200, 999)}`
    // Not one that ends like "cvv", before the digits of an address: that reads as a cvv by its name.
    const holder = `Cnh${this.#letters(11)}a`
    this.cvvs.set(holder, { cvv, what: `cvv: ${what}` })
    return { number, cvv, holder }
  }

  /** A password, or any other text that is not to be kept. */
  word(what: string): string {
    return this.know(`cnry${this.#letters(24)}`, what)
  }

  /** A secret that was made elsewhere. */
  know(word: string, what: string): string {
    this.words.set(word, what)
    return word
  }

  #letters(count: number): string {
    return Array.from({ length: count }, () => this.#random.pick(BASE32)).join('')
  }
}
