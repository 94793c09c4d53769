import type { z } from 'zod'

const REDACTED = '[secret]'

/**
 * A card number, cvv or password on its way through memory. However it is printed, logged or put into
 * JSON, it says `[secret]`; only `reveal` gives it away, and a search for that word finds every use.
 */
export class Secret {
  readonly #value: string
  readonly #telling: (value: string) => string
  constructor(value: string, telling: (value: string) => string = () => '') {
    this.#value = value
    this.#telling = telling
  }
  /** What of it goes into the keyed fingerprint of a request: the last four digits of a card number, nothing of a cvv. */
  telling(): string {
    return this.#telling(this.#value)
  }
  reveal(): string {
    return this.#value
  }
  toString(): string {
    return REDACTED
  }
  toJSON(): string {
    return REDACTED
  }
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return REDACTED
  }
}

/** A string that becomes a `Secret` as soon as it is parsed; `telling` picks what tells two requests apart. */
export const secret = <S extends z.ZodType<string, string>>(schema: S, telling?: (value: string) => string) =>
  schema.transform((value) => new Secret(value, telling))
