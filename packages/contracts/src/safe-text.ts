/*
 * Characters that change what a terminal, a ticket or a page shows. The escapes stand for what nobody could see here.
 */

/**
 * Bidirectional embeddings, overrides and isolates (Unicode UAX #9): they reorder the text around them. The marks U+200E,
 * U+200F and U+061C are not among them: they move nothing but themselves, and Hebrew and Arabic text has them.
 */
const BIDI = String.raw`\u202A-\u202E\u2066-\u2069`
/** ECMA-48: U+009B begins an escape sequence as ESC [ does. */
const C1 = String.raw`\u0080-\u009F`
const DEL = String.raw`\u007F`

const INVISIBLE = new RegExp(`[${BIDI}${C1}]`, 'g')
/** The line and paragraph separators are line breaks to JavaScript and to some terminals. */
const UNPRINTABLE = new RegExp(String.raw`[\u0000-\u001F${DEL}${C1}${BIDI}\u2028\u2029]`, 'g')
const UNPRINTABLE_IN_JSON = new RegExp(String.raw`[${DEL}${C1}${BIDI}\u2028\u2029]`, 'g')

/**
 * What a person typed, without C1 controls and bidirectional controls. They are taken out, not refused: who copies a
 * telephone number out of Apple's contacts pastes U+202D and U+202C with it, and never sees them. Emoji, their joiners and
 * right-to-left text stay as they are. C0 controls and DEL stay as well: schemas refuse them, but for line breaks and tabs.
 */
export const stripInvisible = (text: string): string => text.replaceAll(INVISIBLE, '')

/** Format characters without a glyph, but for the joiners and marks that scripts and emoji need; tags and U+FFF9 to U+FFFB. */
const FORMAT = /[[[\p{Cf}&&\p{Default_Ignorable_Code_Point}]--[\u200C-\u200F\u061C]]\uFFF9-\uFFFB]/gv
/** Line breaks included: what another system says becomes part of a sentence. */
const BLANKS = /[\s\p{Cc}]+/gu

/**
 * What another system answered, fit to be stored, shown and printed: well-formed UTF-16, one line, trimmed, without
 * invisible characters, and no longer than `maxLength` UTF-16 code units. PostgreSQL refuses NUL in text, and NUL and half a
 * surrogate pair in jsonb (22021, 22P05): a command that wants to store such a text fails each time.
 */
export function sanitizeText(text: string, maxLength: number): string {
  const line = text.toWellFormed().replaceAll(FORMAT, '').replaceAll(BLANKS, ' ').trim()
  const cut = line.slice(0, maxLength)
  return (cut.isWellFormed() ? cut : cut.slice(0, -1)).trimEnd()
}

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** For a terminal: one line in which controls and bidirectional controls show as `\u009b`. */
export const escapeUnprintable = (text: string): string => text.replaceAll(UNPRINTABLE, escaped)

/** The same JSON, safe for a terminal. JSON.stringify escapes C0 by itself, and nothing else. */
export const escapeUnprintableInJson = (json: string): string => json.replaceAll(UNPRINTABLE_IN_JSON, escaped)
