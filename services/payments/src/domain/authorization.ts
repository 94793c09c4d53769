import type { Cents, Outcome, Refusal } from '@platter/contracts'
import { calledOff, refusalOf, type Decline } from '#/domain/refusals.ts'

/**
 * What happened to the money of one order, as far as we know:
 *
 *     sent ─→ declined
 *       └──→ authorized ─→ captured ─→ refunded
 *                 └──────→ voided
 *     released: called off before it was ever sent
 *
 * States only ever move to the right. `releaseRequested` is no state: it is set at any time, never unset,
 * and from then on every state but the last ones is left as soon as possible.
 */
export type Authorization = {
  orderApiKey: string
  releaseRequested: boolean
  /** Since it was first sent, by the database's clock. */
  ageSeconds: number
} & (
  | { state: 'released' }
  | ({ state: 'sent' } & Hold)
  | ({ state: 'declined'; refusal: Decline } & Hold)
  | ({ state: 'authorized' | 'captured' | 'voided' | 'refunded'; processorId: string } & Hold)
)

/** Frozen when the row is made: the processor refuses another body under the same idempotency key. */
type Hold = { amount: Cents; token: string }

export type State = Authorization['state']
type Sent = Extract<Authorization, { state: 'sent' }>

/** What the saga asks for. A release is asked for by the row itself. */
export type Command =
  | { kind: 'authorize'; amount: Cents; token: string }
  | { kind: 'capture'; amount: Cents }
  | { kind: 'release' }

/** A question to the processor. Each effect has one idempotency key an order, however often it is asked for. */
export type Call =
  | { move: 'authorize'; idempotencyKey: string; reference: string; amount: Cents; token: string }
  | { move: 'capture'; idempotencyKey: string; id: string; amount: Cents }
  | { move: 'refund'; idempotencyKey: string; id: string; amount: Cents }
  | { move: 'void'; idempotencyKey: string; id: string }
  | { move: 'find'; reference: string; token: string }

export type Next =
  | { kind: 'call'; call: Call }
  | { kind: 'answer'; outcome: Outcome }
  /** The command is out of date: nobody waits for its answer. */
  | { kind: 'silence'; reason: string }
  /** Something that cannot be unless somebody made a mistake; a person is needed. */
  | { kind: 'mistake'; reason: string }

/**
 * The processor forgets idempotency keys after 24 h. Up to 20 h one may be used again; after that asking
 * anew could make a second hold, so it is only looked up (reliability 3.7).
 */
const KEY_LASTS_SECONDS = 20 * 3600

/** What is to be done next for a command, as the row stands now. */
export function next(command: Command, row: Authorization): Next {
  if (row.releaseRequested) return nextOfReleased(command, row)
  if (command.kind === 'authorize') return nextOfAuthorize(command, row)
  if (command.kind === 'capture') return nextOfCapture(command, row)
  return { kind: 'mistake', reason: 'the release goes on before its row says so' }
}

function nextOfReleased(command: Command, row: Authorization): Next {
  const call = wayBack(row)
  if (call) return { kind: 'call', call }
  if (command.kind === 'release') return released(row)
  if (command.kind === 'capture') return { kind: 'silence', reason: `a release came first: ${row.state}` }
  return refused(row.state === 'declined' ? refusalOf(row.refusal) : calledOff)
}

/** Back to where nothing is held. An unknown outcome is found out first: what is unknown cannot be undone. */
function wayBack(row: Authorization): Call | null {
  const keyOf = (move: string) => `${row.orderApiKey}:${move}:1`
  if (row.state === 'sent') return findOut(row)
  if (row.state === 'authorized') return { move: 'void', idempotencyKey: keyOf('void'), id: row.processorId }
  if (row.state !== 'captured') return null
  return { move: 'refund', idempotencyKey: keyOf('refund'), id: row.processorId, amount: row.amount }
}

function nextOfAuthorize(command: Extract<Command, { kind: 'authorize' }>, row: Authorization): Next {
  if (row.state === 'released') return refused(calledOff)
  if (row.amount !== command.amount || row.token !== command.token) {
    return { kind: 'mistake', reason: 'it was sent with another amount or card' }
  }
  if (row.state === 'sent') return { kind: 'call', call: findOut(row) }
  if (row.state === 'declined') return refused(refusalOf(row.refusal))
  return row.state === 'authorized' || row.state === 'captured' ? done : refused(calledOff)
}

function findOut({ orderApiKey: reference, amount, token, ageSeconds }: Sent): Call {
  if (ageSeconds > KEY_LASTS_SECONDS) return { move: 'find', reference, token }
  return { move: 'authorize', idempotencyKey: `${reference}:authorize:1`, reference, amount, token }
}

function nextOfCapture(command: Extract<Command, { kind: 'capture' }>, row: Authorization): Next {
  if (row.state !== 'authorized' && row.state !== 'captured') {
    return { kind: 'mistake', reason: `nothing is held that could be captured: ${row.state}` }
  }
  const { orderApiKey, processorId: id, amount } = row
  if (amount !== command.amount) {
    return {
      kind: 'mistake',
      reason: `${command.amount} cents are to be captured, ${amount} were authorized`,
    }
  }
  if (row.state === 'captured') return done
  return { kind: 'call', call: { move: 'capture', idempotencyKey: `${orderApiKey}:capture:1`, id, amount } }
}

/** What the order's payment is called from now on, which only the row knows. */
const released = ({ state }: Authorization): Next => ({
  kind: 'answer',
  outcome: { kind: 'done', paymentState: state === 'refunded' ? 'REFUNDED' : 'VOIDED' },
})

const done: Next = { kind: 'answer', outcome: { kind: 'done' } }
const refused = (refusal: Refusal): Next => ({ kind: 'answer', outcome: { kind: 'refused', refusal } })
