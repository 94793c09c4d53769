import { createHash } from 'node:crypto'

/**
 * Derives an apiKey from these parts, so that a repetition results in the same apiKey: 48 hexadecimal characters, like every
 * apiKey.
 */
export const apiKeyOf = (...parts: readonly string[]): string =>
  createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 48)
