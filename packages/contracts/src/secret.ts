import type { z } from 'zod'

const REDACTED = '[secret]'

/**
 * A card number, cvv or password in memory. Printing, logging and serialization yield `[secret]`. Only `reveal` returns the value,
 * so a search for that name finds every use.
 */
export class Secret {
  readonly #value: string
  readonly #distinguishing: (value: string) => string
  constructor(value: string, distinguishing: (value: string) => string = () => '') {
    this.#value = value
    this.#distinguishing = distinguishing
  }
  /** Returns the part for the keyed fingerprint of a request: the last four digits of a card number, and no digit of a cvv. */
  distinguishingPart(): string {
    return this.#distinguishing(this.#value)
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

/** Returns a schema that parses a string into a `Secret`. `distinguishing` returns the part that distinguishes two requests. */
export const secret = <S extends z.ZodType<string, string>>(
  schema: S,
  distinguishing?: (value: string) => string,
) => schema.transform((value) => new Secret(value, distinguishing))
