import {
  post,
  register,
  stack,
  type ClientResponse,
  type Options,
  type ProblemBody,
  type User,
} from './client.ts'

/** Shared code of the tests of users, cards and addresses. */

export { newEmail, person, PASSWORD } from '../support/fixtures.ts'
export type { Options }

export const keyed = (key: string = crypto.randomUUID()) => ({ headers: { 'idempotency-key': key } })

/** Options of a request from another client application. */
export const elsewhere = () => ({ key: stack().otherAccessKey })

export const UNKNOWN_API_KEY = '0'.repeat(48)

export const signin = (email: string, password: string, options: Options = {}) =>
  post<User & ProblemBody>('signin', { email, password }, options)

let unchanged: Promise<User> | undefined

/**
 * Returns one user for all requests without changes. A registration hashes a password, and accounts hashes for at most a third of a
 * core. With a user for each rejected request, these tests mostly waited for hashes.
 */
export const unchangedUser = (): Promise<User> => (unchanged ??= register())

/** Returns the members of a problem that do not depend on the request. */
export function commonMembersOf({ body }: ClientResponse<ProblemBody>): Partial<ProblemBody> {
  const { requestId: _, instance: __, ...words } = body as ProblemBody & { instance: string }
  return words
}

/** Texts that each field rejects, with the message for each. */
export const BROKEN_TEXTS: [name: string, text: string, words: string][] = [
  ['a NUL', 'Mar\u0000ia', 'has a control character'],
  ['an escape character', 'Mar\u001bia', 'has a control character'],
  ['a DEL', 'Mar\u007fia', 'has a control character'],
  ['the first half of a surrogate pair', 'Mar\ud83cia', 'has half of a surrogate pair'],
  ['the second half of a surrogate pair', 'Mar\udf55ia', 'has half of a surrogate pair'],
]

const faultsBy =
  (member: 'code' | 'detail') =>
  ({ body }: ClientResponse<ProblemBody>): Record<string, string> =>
    Object.fromEntries(body.errors.map((fault) => [fault.pointer, fault[member]]))

/** Returns the codes of the faults by their pointers. */
export const faultsOf = faultsBy('code')
/** Returns the messages of the faults by their pointers. */
export const detailsOf = faultsBy('detail')

/** Returns the same entry for each of the fields. */
export const each = (
  fields: readonly string[],
  messageOf: (field: string) => string,
): Record<string, string> => Object.fromEntries(fields.map((field) => [`/${field}`, messageOf(field)]))
