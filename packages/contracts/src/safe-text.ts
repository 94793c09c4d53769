/*
 * Characters that change the display of a terminal, a ticket or a page. They are escaped here because they are invisible.
 */

/**
 * Bidirectional embeddings, overrides and isolates (Unicode UAX #9): they reorder the text around them. The marks U+200E, U+200F
 * and U+061C are excluded: they reorder no other text, and Hebrew and Arabic texts contain them.
 */
const BIDI = String.raw`\u202A-\u202E\u2066-\u2069`
/** ECMA-48: U+009B begins an escape sequence, like ESC [. */
const C1 = String.raw`\u0080-\u009F`
const DEL = String.raw`\u007F`

const INVISIBLE = new RegExp(String.raw`[${BIDI}${C1}\u200B\uFEFF]`, 'g')
/** JavaScript and some terminals treat the line and paragraph separators as line breaks. */
const UNPRINTABLE = new RegExp(String.raw`[\u0000-\u001F${DEL}${C1}${BIDI}\u2028\u2029]`, 'g')
const UNPRINTABLE_IN_JSON = new RegExp(String.raw`[${DEL}${C1}${BIDI}\u2028\u2029]`, 'g')

/**
 * Removes C1 controls, bidirectional controls, zero-width spaces and byte order marks from a text. Rejecting them would be wrong: a
 * telephone number from Apple's contacts contains U+202D and U+202C, and an address from a web page U+200B, which no geocoder
 * finds. Emoji, their joiners and right-to-left text stay. C0 controls and DEL stay too; schemas reject them, except line breaks and
 * tabs.
 */
export const stripInvisible = (text: string): string => text.replaceAll(INVISIBLE, '')

/** Format characters without a glyph, tags, and U+FFF9 to U+FFFB. Joiners and marks that scripts and emoji need are excluded. */
const FORMAT = /[[[\p{Cf}&&\p{Default_Ignorable_Code_Point}]--[\u200C-\u200F\u061C]]\uFFF9-\uFFFB]/gv
/** Includes line breaks, because the text of another system becomes part of a sentence. */
const BLANKS = /[\s\p{Cc}]+/gu

/**
 * Converts a text of another system so that it can be stored and printed. The result is well-formed UTF-16, one line, trimmed,
 * without invisible characters, with at most `maxLength` UTF-16 code units. PostgreSQL rejects NUL in text, and NUL and half a
 * surrogate pair in jsonb (22021, 22P05): a command that stores such a text would fail on each attempt.
 */
export function sanitizeText(text: string, maxLength: number): string {
  const line = text.toWellFormed().replaceAll(FORMAT, '').replaceAll(BLANKS, ' ').trim()
  const cut = line.slice(0, maxLength)
  return (cut.isWellFormed() ? cut : cut.slice(0, -1)).trimEnd()
}

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Converts a text to one line for a terminal; controls and bidirectional controls become escapes such as `\u009b`. */
export const escapeUnprintable = (text: string): string => text.replaceAll(UNPRINTABLE, escaped)

/** Escapes JSON for a terminal. JSON.stringify escapes C0 controls only. */
export const escapeUnprintableInJson = (json: string): string => json.replaceAll(UNPRINTABLE_IN_JSON, escaped)
