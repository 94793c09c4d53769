import type { Authorization } from '#/domain/authorization.ts'
import { declineOf, type Decline } from '#/domain/refusals.ts'

/**
 * What the processor lets us know. `no` is for good: it has had no effect and never will. `unknown` is
 * everything else, and is never taken for a failure; `sent` is false when not a byte went out, `alarm` is set
 * when asking again cannot help.
 */
export type Answer<T> =
  | ({ kind: 'yes' } & T)
  | { kind: 'no'; code: string; declineCode: string }
  | { kind: 'unknown'; reason: string; sent: boolean; alarm?: true }

/** An effect on an authorization: its name at the processor, cents, and what else of it was not asked for (another currency). */
export type Effect = { id: string; amount: number; differs?: string }

/** What the processor holds for an order. */
export type Found = Effect & { status: 'authorized' | 'captured' | 'voided' | 'refunded' }

/** What the processor holds for an order, or that it has declined to. */
export type Told = Found | { status: 'declined'; code: string; declineCode: string }

/** The new state of the row, written only if the row is still in the state that was decided on. */
export type Change = { state: Found['status']; processorId: string } | { state: 'declined'; refusal: Decline }

export type Learnt =
  /** `alarm` is for a person to look at, and hinders nothing. */
  | { kind: 'moved'; change: Change; alarm?: string }
  /** The processor refuses what we think is possible: look what it holds, and go on from there. */
  | { kind: 'look-up'; refused: string }
  | { kind: 'unknown'; reason: string; alarm?: true }
  | { kind: 'mistake'; reason: string }

const REACHED = { authorize: 'authorized', capture: 'captured', void: 'voided', refund: 'refunded' } as const
type Effective = keyof typeof REACHED

/** What the answer to a call means for the row that the call was made for. */
export function learn(row: Authorization, move: Effective, answer: Answer<Effect>): Learnt {
  if (answer.kind === 'unknown') return unknown(answer)
  if (answer.kind === 'yes') return accept(row, { ...answer, status: REACHED[move] })
  if (move !== 'authorize') return { kind: 'look-up', refused: `${move}: ${answer.code}` }
  return { kind: 'moved', change: { state: 'declined', refusal: declineOf(answer) } }
}

/** What it means that this, or nothing, is held at the processor. `refused` is what it did not want to do. */
export function learnFound(
  row: Authorization,
  answer: Answer<{ found: readonly Found[] }>,
  refused = 'nothing',
): Exclude<Learnt, { kind: 'look-up' }> {
  if (answer.kind === 'unknown') return unknown(answer)
  if (answer.kind === 'no')
    return { kind: 'mistake', reason: `the processor refuses to be asked: ${answer.code}` }
  const [one, ...others] = answer.found
  if (others.length > 0) return { kind: 'mistake', reason: 'the processor holds more than one authorization' }
  if (one) {
    return isNews(row, one)
      ? accept(row, one)
      : { kind: 'mistake', reason: `it is ${row.state}, yet the processor refused ${refused}` }
  }
  if (row.state !== 'sent')
    return { kind: 'mistake', reason: 'the processor does not know the authorization' }
  // Asked 20 h ago or earlier: whatever was sent then has arrived or never will.
  const refusal = { code: 'payment-unavailable', declineCode: 'never_arrived' } as const
  return { kind: 'moved', change: { state: 'declined', refusal } }
}

/** What the processor lets us know of an order unasked. Null when it is no news. */
export function learnTold(
  row: Authorization,
  told: Told,
): Extract<Learnt, { kind: 'moved' | 'mistake' }> | null {
  if (told.status === 'declined') {
    return row.state === 'sent'
      ? { kind: 'moved', change: { state: 'declined', refusal: declineOf(told) } }
      : null
  }
  const isAlive = told.status === 'authorized' || told.status === 'captured'
  if (row.state === 'declined' || row.state === 'released') {
    return isAlive
      ? { kind: 'mistake', reason: `it is ${row.state}, yet the processor says ${told.status}` }
      : null
  }
  if ('processorId' in row && row.processorId !== told.id) {
    return isAlive ? { kind: 'mistake', reason: 'the processor holds more than one authorization' } : null
  }
  return isNews(row, told) ? accept(row, told) : null
}

const RANKS: readonly string[] = ['sent', 'authorized', 'captured', 'voided', 'refunded']
const isNews = (row: Authorization, { status }: Found): boolean =>
  RANKS.indexOf(status) > RANKS.indexOf(row.state)

const unknown = ({ reason, alarm }: { reason: string; alarm?: true }) =>
  ({ kind: 'unknown', reason, ...(alarm && { alarm }) }) as const

/** What differs is never accepted, but neither does it keep money from being given back. */
function accept(row: Authorization, found: Found): Extract<Learnt, { kind: 'moved' | 'mistake' }> {
  const { id, amount, status, differs } = found
  const change = { state: status, processorId: id }
  const ours = 'amount' in row ? row.amount : null
  if (amount === ours && differs === undefined) return { kind: 'moved', change }
  const difference = differs ?? `the processor says ${status} ${amount} cents, ours are ${ours}`
  return row.releaseRequested
    ? { kind: 'moved', change, alarm: difference }
    : { kind: 'mistake', reason: difference }
}
