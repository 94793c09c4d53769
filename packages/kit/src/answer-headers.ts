/**
 * What every answer says for whose route says nothing else: that nobody keeps a copy of it (it may be of a person),
 * and that no browser takes it for another type than it has.
 */
export const ANSWER_HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const
