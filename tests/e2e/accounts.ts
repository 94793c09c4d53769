import { tally as countOf } from '../support/statistics.ts'
import {
  call,
  post,
  register,
  stack,
  type Answer,
  type Options,
  type ProblemBody,
  type User,
} from './client.ts'

/** What the tests of users, cards and addresses share. */

export { newEmail, person, PASSWORD } from '../support/cast.ts'
export type { Options }

export const keyed = (key: string = crypto.randomUUID()) => ({ headers: { 'idempotency-key': key } })

/** As another client application. */
export const elsewhere = () => ({ key: stack().otherAccessKey })

export const NOBODYS_KEY = '0'.repeat(48)

export const signin = (email: string, password: string, options: Options = {}) =>
  post<User & ProblemBody>('signin', { email, password }, options)

let unchanged: Promise<User> | undefined

/**
 * One user for all requests that change nothing. A registration hashes a password, and accounts hashes for at most a third of
 * a core: with a user for each refused request, these tests mostly waited for hashes.
 */
export const unchangedUser = (): Promise<User> => (unchanged ??= register())

/** A POST with nothing in it at all, not even a content type. */
export const postNothing = <T>(path: string, options: Options = {}) =>
  call<T>(`/publicapi/v1/${path}`, { method: 'POST', ...options })

/** What is said of a problem, apart from which request it was. */
export function wordsOf({ body }: Answer<ProblemBody>): Partial<ProblemBody> {
  const { requestId: _, instance: __, ...words } = body as ProblemBody & { instance: string }
  return words
}

/** Text that no field takes, and how that is said. */
export const BROKEN_TEXTS: [name: string, text: string, words: string][] = [
  ['a NUL', 'Mar\u0000ia', 'has a control character'],
  ['an escape character', 'Mar\u001bia', 'has a control character'],
  ['a DEL', 'Mar\u007fia', 'has a control character'],
  ['the first half of a surrogate pair', 'Mar\ud83cia', 'has half of a surrogate pair'],
  ['the second half of a surrogate pair', 'Mar\udf55ia', 'has half of a surrogate pair'],
]

/** The codes of the faults by their pointers. */
export const faultsOf = ({ body }: Answer<ProblemBody>): Record<string, string> =>
  Object.fromEntries(body.errors.map(({ pointer, code }) => [pointer, code]))

/** What is said of the faults, by their pointers. */
export const detailsOf = ({ body }: Answer<ProblemBody>): Record<string, string> =>
  Object.fromEntries(body.errors.map(({ pointer, detail }) => [pointer, detail]))

/** The same for each of the fields. */
export const each = (fields: readonly string[], say: (field: string) => string): Record<string, string> =>
  Object.fromEntries(fields.map((field) => [`/${field}`, say(field)]))

/** The number of responses by status. */
export const tally = (answers: readonly Answer<unknown>[]): Partial<Record<number, number>> =>
  countOf(answers.map(({ status }) => status))

/** The distinct apiKeys of the responses. */
export const apiKeysOf = (answers: readonly Answer<{ apiKey: string | null }>[]): (string | null)[] => [
  ...new Set(answers.map(({ body }) => body.apiKey)),
]
