import {
  cardTimes,
  cents,
  type Authentication,
  type Cents,
  type Outcome,
  type Refusal,
} from '@platter/contracts'
import { refusalOf, RELEASED, type Decline } from '#/domain/declines.ts'

/**
 * The known state of one order's payment:
 *
 *     sent ─→ declined
 *       ├──→ challenged ─→ declined, authorized or voided
 *       └──→ authorized ─→ captured ─→ refunded
 *                 └──────→ voided
 *     challenged: the bank awaits the customer; no amount is authorized
 *     released: released before the first call to the processor
 *
 * States only move to the right. `releaseRequested` is not a state. It may be set at any time and is never unset. Once it is
 * set, the row moves to a final state as soon as possible.
 */
export type Authorization = {
  orderApiKey: string
  releaseRequested: boolean
  /** Since the row was created, by the clock of the database. */
  ageSeconds: number
} & (
  | { state: 'released' }
  | ({ state: 'sent' } & Terms)
  | ({ state: 'challenged'; processorId: string } & Terms)
  | ({ state: 'declined'; refusal: Decline } & Terms)
  | ({
      state: 'authorized' | 'captured' | 'voided' | 'refunded'
      processorId: string
      /** See `refundedOf`; absent: none. */
      refunded?: Cents
    } & Terms)
)

/** Immutable after the insert, because the processor rejects another body under the same idempotency key. */
export type Terms = {
  amount: Cents
  token: string
  /** Absent for a client that cannot redirect its customer to the bank. */
  authentication?: Authentication | undefined
  /** Absent for a restaurant name without a Latin letter. */
  statementSuffix?: string | undefined
  /** The card is saved to the recipient's account, for later orders of the customer. */
  savesCard?: boolean | undefined
}

/** Cents of the refunds of parts that have not failed, here and at the processor, and of lost disputes. */
export const refundedOf = (row: Authorization): Cents => ('refunded' in row && row.refunded) || cents(0)

export type State = Authorization['state']
type Sent = Extract<Authorization, { state: 'sent' }>

/** A command of the saga. A row whose release was requested also demands a release. */
export type Command =
  | ({ kind: 'authorize' } & Terms)
  | { kind: 'capture'; amount: Cents }
  | { kind: 'release' }

/** A call to the processor. Each call with an effect has one idempotency key per order, in all repetitions. */
export type Call =
  | ({ kind: 'authorize'; idempotencyKey: string; reference: string } & Terms)
  | { kind: 'capture'; idempotencyKey: string; id: string; amount: Cents }
  | { kind: 'refund'; idempotencyKey: string; id: string; amount: Cents }
  | { kind: 'void'; idempotencyKey: string; id: string }
  | { kind: 'find'; reference: string; token: string }
  /** Looks up a challenged authorization. */
  | { kind: 'check'; id: string; authentication?: Authentication | undefined }

type NextStep =
  | { kind: 'call'; call: Call }
  | { kind: 'reply'; outcome: Outcome }
  /** The saga has continued and expects no reply. */
  | { kind: 'stale'; reason: string }
  /** Impossible without a bug or an intervention at the processor. */
  | { kind: 'incident'; reason: string }

/**
 * The processor deletes idempotency keys after 24 h, so a key is reused for 20 h only. Afterwards a repeated authorize call could
 * reserve the amount a second time, so the authorization is only looked up.
 */
export const KEY_LASTS_SECONDS = 20 * 3600

/** The last call under a key may still be on its way when the first look-up finds nothing. After this time it has arrived or never will. */
export const ARRIVED_AFTER_SECONDS = KEY_LASTS_SECONDS + 3600

/** Returns the next step of a command for the current row. */
export function nextStep(command: Command, row: Authorization): NextStep {
  if (row.releaseRequested) return stepOfReleased(command, row)
  if (command.kind === 'authorize') return stepOfAuthorize(command, row)
  if (command.kind === 'capture') return stepOfCapture(command, row)
  return { kind: 'incident', reason: 'the row of a released order does not request the release' }
}

function stepOfReleased(command: Command, row: Authorization): NextStep {
  // Refunds of parts may be in progress, and one that fails increases the amount to refund. Only the release waits for their ends
  // (handlers/release.ts). An authorize or capture command that arrives this late is a repetition.
  if (command.kind !== 'release' && row.state === 'captured' && refundedOf(row) > 0)
    return { kind: 'stale', reason: 'the release refunds what is left' }
  const call = compensationCall(row)
  if (call) return { kind: 'call', call }
  if (command.kind === 'release') return released(row)
  if (command.kind === 'capture') return { kind: 'stale', reason: `a release came first: ${row.state}` }
  return refused(row.state === 'declined' ? refusalOf(row.refusal) : RELEASED)
}

/** Returns null if nothing is authorized or captured. An unknown outcome is resolved first, because it cannot be compensated. */
function compensationCall(row: Authorization): Call | null {
  const keyOf = (kind: string) => `${row.orderApiKey}:${kind}:1`
  if (row.state === 'sent') return authorizeOrFind(row)
  if (row.state === 'authorized' || row.state === 'challenged')
    return { kind: 'void', idempotencyKey: keyOf('void'), id: row.processorId }
  if (row.state !== 'captured') return null
  const amount = cents(row.amount - refundedOf(row))
  // The whole amount was refunded at the processor. It is negative until a refund there that has failed is read.
  if (amount <= 0) return { kind: 'find', reference: row.orderApiKey, token: row.token }
  // The processor would reject another amount under the same key. The release has waited for the ends of all refunds of parts.
  const key = refundedOf(row) === 0 ? keyOf('refund') : `${keyOf('refund')}:${amount}`
  return { kind: 'refund', idempotencyKey: key, id: row.processorId, amount }
}

function stepOfAuthorize(command: Extract<Command, { kind: 'authorize' }>, row: Authorization): NextStep {
  if (row.state === 'released') return refused(RELEASED)
  if (row.amount !== command.amount || row.token !== command.token) {
    return { kind: 'incident', reason: 'the row has another amount or card' }
  }
  if (row.state === 'sent') return { kind: 'call', call: authorizeOrFind(row) }
  if (row.state === 'challenged') {
    const { processorId: id, authentication } = row
    return { kind: 'call', call: { kind: 'check', id, authentication } }
  }
  if (row.state === 'declined') return refused(refusalOf(row.refusal))
  return row.state === 'authorized' || row.state === 'captured' ? done : refused(RELEASED)
}

function authorizeOrFind({ orderApiKey: reference, ageSeconds, ...row }: Sent): Call {
  const { amount, token, authentication, statementSuffix, savesCard } = row
  if (ageSeconds > KEY_LASTS_SECONDS) return { kind: 'find', reference, token }
  const terms = { amount, token, authentication, statementSuffix, savesCard }
  return { kind: 'authorize', idempotencyKey: `${reference}:authorize:1`, reference, ...terms }
}

function stepOfCapture(command: Extract<Command, { kind: 'capture' }>, row: Authorization): NextStep {
  // Refunded at the processor, before the reply to the capture reached the saga.
  if (row.state === 'refunded') return done
  if (row.state !== 'authorized' && row.state !== 'captured') {
    return { kind: 'incident', reason: `there is no authorization to capture: ${row.state}` }
  }
  const { orderApiKey, processorId: id, amount } = row
  if (amount !== command.amount) {
    return {
      kind: 'incident',
      reason: `the command captures ${command.amount} cents, ${amount} are authorized`,
    }
  }
  if (row.state === 'captured') return done
  return { kind: 'call', call: { kind: 'capture', idempotencyKey: `${orderApiKey}:capture:1`, id, amount } }
}

/** Returns the end of the customer's time at the bank in epoch seconds, equal for each look-up. */
export const expiresOf = ({ ageSeconds }: Pick<Authorization, 'ageSeconds'>, now: number): number =>
  now - ageSeconds + cardTimes.challenge / 1_000

/** Only the row shows whether the release was a void or a refund. */
const released = ({ state }: Authorization): NextStep => ({
  kind: 'reply',
  outcome: { kind: 'done', paymentState: state === 'refunded' ? 'REFUNDED' : 'VOIDED' },
})

const done: NextStep = { kind: 'reply', outcome: { kind: 'done' } }
const refused = (refusal: Refusal): NextStep => ({ kind: 'reply', outcome: { kind: 'refused', refusal } })
