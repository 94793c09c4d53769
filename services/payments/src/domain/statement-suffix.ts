/**
 * A statement has at most 22 characters: the prefix of the account with at most 10, an asterisk, a space, and the suffix
 * (docs.stripe.com/get-started/account/statement-descriptors). With a suffix of more than 10, a long prefix would exceed the limit.
 */
const MOST_CHARACTERS = 10

/** Letters without a decomposition in Unicode. */
const SPELLED: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  Æ: 'AE',
  œ: 'oe',
  Œ: 'OE',
  ø: 'o',
  Ø: 'O',
  ł: 'l',
  Ł: 'L',
  đ: 'd',
  Đ: 'D',
}

/**
 * Returns the restaurant's name for the customer's card statement: Latin letters, digits and some marks. Undefined for a name
 * without a Latin letter, because a suffix requires one.
 */
export function statementSuffixOf(restaurantName: string): string | undefined {
  const latin = restaurantName
    .replaceAll(/[ßæÆœŒøØłŁđĐ]/g, (letter) => SPELLED[letter] ?? '')
    .normalize('NFKD')
    .replaceAll(/[\p{M}'’]/gu, '')
    .replaceAll(/[^A-Za-z0-9&.,+-]+/g, ' ')
    .trim()
  const suffix = latin.slice(0, MOST_CHARACTERS).trim()
  return /[A-Za-z]/.test(suffix) ? suffix : undefined
}
