import { createHash } from 'node:crypto'

/** An apiKey that follows from these parts, so that a repetition has the same one: 48 hexadecimal characters, as every apiKey. */
export const apiKeyOf = (...parts: readonly string[]): string =>
  createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 48)
