import { dictionary } from '@zxcvbn-ts/language-common'

/**
 * What is tried first by whoever guesses: the 10,000 passwords that leaked most often, in lower case and most frequent
 * first in the package's list. 3,534 of them are long enough to be set at all.
 */
const COMMON: ReadonlySet<string> = new Set(dictionary['passwords-common'].slice(0, 10_000))

/** Whether it is one of the most used passwords, in capitals or not. */
export const isCommon = (password: string): boolean => COMMON.has(password.toLowerCase())
