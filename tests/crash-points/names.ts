/*
 * Names of the events of an order in a process. They are equal in each run: they contain no ids and no positions. The golden list
 * needs names that are stable and distinct.
 */

/** A lock (`for no key update`) changes no row. */
const CHANGES = /\b(insert into|(?<!for |key )update|delete from)\b|^commit/i
const IN_STORE = /at (?:async )?(?:\w+\.)?(?<name>\w+) \(.*\/store\/(?<file>[\w-]+)\.ts/
/**
 * The function that runs a statement for several orders (packages/kit/src/postgres/batch.ts). The first table that the statement
 * writes identifies it.
 */
const SHARED = 'run'
const PAYMENT_STATE = /^(challenged|authorized|captured|voided|refunded|declined|released)$/

/**
 * Returns the function of `store/` that issues a statement, and the state that the statement writes. Returns null for a statement
 * without changes.
 */
export function nameOfStatement(args: readonly unknown[], stack: string): string | null {
  const [given, second] = args
  const { text, values } =
    typeof given === 'string' ? { text: given, values: second } : (given as { text: string; values: unknown })
  if (!CHANGES.test(text)) return null
  const { file, name } =
    stack
      .split('\n')
      .map((line) => IN_STORE.exec(line)?.groups)
      .find(Boolean) ?? {}
  const where =
    file === undefined
      ? tablesOf(text) || 'transaction'
      : name === SHARED
        ? `${file}: ${firstOf(text)}`
        : `${file}.${name}`
  const to = whereTo(Array.isArray(values) ? values : [])
  return to === '' ? where : `${where} to ${to}`
}

const tablesOf = (text: string): string =>
  [...text.matchAll(/\b(insert into|(?<!for )update|delete from) "?(\w+)/gi)]
    .map(([, verb, table]) => `${verb} ${table}`)
    .join(', ')

const firstOf = (text: string): string => tablesOf(text).split(', ')[0] ?? ''

/** Returns the state of the saga or of the authorization that a statement writes. */
function whereTo(values: readonly unknown[]): string {
  for (const value of values) {
    if (typeof value !== 'string') continue
    if (PAYMENT_STATE.test(value)) return value
    if (value.startsWith('[{')) return whereTo(firstRow(value).map(asValue))
    if (value.startsWith('{"done":')) return stateOf(JSON.parse(value) as SagaState)
  }
  return ''
}

/** Returns the first of the rows that a shared statement receives. */
function firstRow(rows: string): unknown[] {
  const [first] = JSON.parse(rows) as object[]
  return Object.values(first ?? {})
}

const asValue = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : value

type SagaState = { done: string[]; undone: string[]; refusal: object | null; challenge?: object }

const stateOf = ({ done, undone, refusal, challenge }: SagaState): string =>
  [
    ...(challenge ? ['challenged'] : []),
    ...done,
    ...(refusal ? ['refused'] : []),
    ...undone.map((step) => `${step} compensated`),
  ].join(', ')

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
