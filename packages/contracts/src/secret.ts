import type { z } from 'zod'

const REDACTED = '[secret]'

/**
 * A card number, cvv or password on its way through memory. However it is printed, logged or put into
 * JSON, it says `[secret]`; only `reveal` gives it away, and a search for that word finds every use.
 */
export class Secret {
  readonly #value: string
  /** What may be kept to tell two secrets apart: the last four digits of a card number, nothing of a cvv or password. */
  readonly hint: string
  constructor(value: string, hint = '') {
    this.#value = value
    this.hint = hint
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

/** A string that becomes a `Secret` as soon as it is parsed; `hint` says what of it may be kept. */
export const secret = <S extends z.ZodType<string, string>>(schema: S, hint?: (value: string) => string) =>
  schema.transform((value) => new Secret(value, hint?.(value)))
