import { dictionary } from '@zxcvbn-ts/language-common'

/**
 * The 10,000 passwords that leaked most often, which attackers try first. The package's list is in lower case, most frequent first.
 * 3,534 of them have at least 8 characters.
 */
const COMMON: ReadonlySet<string> = new Set(dictionary['passwords-common'].slice(0, 10_000))

/** Returns whether `password` is one of them, in any case of its letters. */
export const isCommon = (password: string): boolean => COMMON.has(password.toLowerCase())
