/*
 * Names of the events of an order in a process. They are equal in each run: they contain no ids and no positions. Equal names of one
 * order are numbered (`appendEvent`).
 */

/** A statement that changes rows, and its first table. A lock (`for no key update`) changes no row. */
const CHANGE = /\b(?:insert into|(?<!for |key |do )update|delete from) "?\w+/i

/** Names a statement by its first change. Returns null for a statement without changes. */
export function nameOfStatement(text: string): string | null {
  if (/^commit/i.test(text)) return 'transaction'
  return CHANGE.exec(text)?.[0].replace('"', '') ?? null
}

type About = { step?: string; undo?: boolean; outcome?: { kind: string } }

/** Names a message by its queue without the version. A reply to a saga also has the name of its command. */
export function nameOfMessage(to: string, data: unknown): string {
  const name = to.replace(/\.v\d+$/, '')
  const { step, undo, outcome } = (data ?? {}) as About
  return outcome ? `${name} (${step}${undo ? ' compensation' : ''}: ${outcome.kind})` : name
}

/** Returns null for a call that serves no order: any request may look up an access key, once a second. */
export function nameOfCall({ method, path }: { method: string; path: string }): string | null {
  if (path.includes('access-key')) return null
  return `${method} ${(path.split('?')[0] ?? '').replaceAll(/auth_[0-9a-f]+/g, ':id').replaceAll(/[0-9a-f]{48}/g, ':order')}`
}
