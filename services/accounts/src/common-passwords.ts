import type { Secret } from '@platter/contracts'
import { Problem } from '@platter/kit'
import { dictionary } from '@zxcvbn-ts/language-common'

/**
 * The 10,000 passwords that leaked most often, which attackers try first. The package's list is in lower case, most frequent first.
 * 3,534 of them have at least 8 characters.
 */
const COMMON: ReadonlySet<string> = new Set(dictionary['passwords-common'].slice(0, 10_000))

/** Throws Problem invalid-field for one of them, in any case of its letters. */
export function refuseCommon(password: Secret): void {
  if (!COMMON.has(password.reveal().toLowerCase())) return
  const detail = 'password is one of the most used passwords. Choose another one.'
  throw Problem.of([{ pointer: '/password', code: 'invalid-field', detail }])
}
