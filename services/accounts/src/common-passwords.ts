import { dictionary } from '@zxcvbn-ts/language-common'

/**
 * The 10,000 passwords that leaked most often; attackers try them first. The package's list is in lower case, most frequent first.
 * 3,534 of them have 8 characters or more.
 */
const COMMON: ReadonlySet<string> = new Set(dictionary['passwords-common'].slice(0, 10_000))

/** Whether `password` is one of them, in any case of its letters. */
export const isCommon = (password: string): boolean => COMMON.has(password.toLowerCase())
