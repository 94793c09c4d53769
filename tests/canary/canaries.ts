import { isCardNumber } from '@platter/contracts'
import { randomOf, type Random } from '../support/random.ts'

/** A word of the test, or an access key with the format of Platter. */
export const WORD = /cnry[a-z2-7]{24}|platter_(?:live|test)_[0-9A-Za-z]{36}/g
/** The name of a canary's cardholder, which Platter may store. */
export const HOLDER = /Cnh[a-z2-7]{12}/g

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'.split('')
/** First digits of card schemes that issue numbers of this length. */
const STARTS: Readonly<Record<number, string>> = {
  13: '4',
  14: '36',
  15: '37',
  16: '4',
  18: '65',
  19: '6304',
}
const LENGTHS = [16, 16, 16, 16, 15, 14, 13, 18, 19]

/** The development processor declines these cards (dev/processor/src/cards.ts). They are not unique, but secret as well. */
export const DECLINED = ['4000000000000002', '4000000000009995', '4000000000000127', '4000000000000119']

/** Generates each canary once, and stores all of them with their origins. Equal seeds generate equal canaries. */
export class Canaries {
  /** Card numbers, digits only. */
  readonly numbers = new Map<string, string>()
  /** Passwords, access keys and other texts, each with the shape `WORD`. */
  readonly words = new Map<string, string>()
  /** The cvv of each card, by the name of its cardholder. */
  readonly cvvs = new Map<string, { cvv: string; what: string }>()
  readonly #random: Random

  constructor(seed: number) {
    this.#random = randomOf(seed)
    for (const number of DECLINED) this.numbers.set(number, 'card number that is declined')
  }

  /** Generates a card number that passes the Luhn check, of any valid length. `what` describes the place of its use. */
  number(what: string, length = this.#random.pick(LENGTHS)): string {
    let start = STARTS[length] ?? '4'
    while (start.length < length - 1) start += String(this.#random.between(1, 9))
    const number = Array.from('0123456789', (digit) => start + digit).find(isCardNumber) ?? ''
    if (this.numbers.has(number)) return this.number(what, length)
    this.numbers.set(number, `card number: ${what}`)
    return number
  }

  /**
   * Generates a card. Each occurrence of its number comes from one known request. A cvv has four digits and begins with 0, because
   * each file contains numbers of three digits. No number is written with a leading 0, and no canary ends in these digits. The search
   * looks for it beside the name of the cardholder, which is stored with each card.
   */
  card(what: string, number = this.number(what)) {
    const cvv = `0${this.#random.between(200, 999)}`
    // The holder must not end like "cvv": with the digits of an address after it, the search would report a named cvv.
    const holder = `Cnh${this.#letters(11)}a`
    this.cvvs.set(holder, { cvv, what: `cvv: ${what}` })
    return { number, cvv, holder }
  }

  /** Generates a password, or any other text that Platter must not store. */
  word(what: string): string {
    return this.register(`cnry${this.#letters(24)}`, what)
  }

  /** Registers a secret from another source. */
  register(word: string, what: string): string {
    this.words.set(word, what)
    return word
  }

  #letters(count: number): string {
    return Array.from({ length: count }, () => this.#random.pick(BASE32)).join('')
  }
}
