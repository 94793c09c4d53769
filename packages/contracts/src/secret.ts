import type { z } from 'zod'

const REDACTED = '[secret]'

/**
 * A card number, cvv or password on its way through memory. However it is printed, logged or put into
 * JSON, it says `[secret]`; only `reveal` gives it away, and a search for that word finds every use.
 */
export class Secret {
  readonly #value: string
  constructor(value: string) {
    this.#value = value
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

/** A string that becomes a `Secret` as soon as it is parsed. */
export const secret = <S extends z.ZodType<string, string>>(schema: S) =>
  schema.transform((value) => new Secret(value))
