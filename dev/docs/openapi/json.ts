/** A JSON object of the document. */
export type Json = { [name: string]: unknown }

export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Converts `customer-by-key` to `customerByKey`. */
export const camelCase = (name: string): string =>
  name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

/** Converts a title to the key of a map: `A guest, pickup` to `a-guest-pickup`. */
export const slug = (words: string): string =>
  words
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
