import type { z } from 'zod'

const REDACTED = '[secret]'

/**
 * A card number, cvv or password in memory. Printed, logged or serialized it is `[secret]`. Only `reveal` returns the value, and a
 * search for that word finds every use.
 */
export class Secret {
  readonly #value: string
  readonly #distinguishing: (value: string) => string
  constructor(value: string, distinguishing: (value: string) => string = () => '') {
    this.#value = value
    this.#distinguishing = distinguishing
  }
  /** The part for the keyed fingerprint of a request: the last four digits of a card number, nothing of a cvv. */
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

/** Parses a string into a `Secret`. `distinguishing` picks the part that distinguishes two requests. */
export const secret = <S extends z.ZodType<string, string>>(
  schema: S,
  distinguishing?: (value: string) => string,
) => schema.transform((value) => new Secret(value, distinguishing))
