import type { Charge, PaymentAction } from '@platter/contracts'
import { ARRIVED_AFTER_SECONDS, refundedOf, type Authorization, type Call } from '#/domain/authorization.ts'
import { declineOf, type Decline } from '#/domain/declines.ts'

/**
 * The result of a call to the processor. `no` is final: the call had no effect and never will have one. `unknown` is any other
 * result and never counts as a failure. `needsOperator` is set if a repeated call cannot succeed.
 */
export type ProcessorResult<T> =
  | ({ kind: 'yes' } & T)
  | { kind: 'no'; code: string; declineCode: string }
  | { kind: 'unknown'; reason: string; needsOperator?: true }

/** The bank awaits the customer's authentication; no amount is authorized. */
export type Challenge = { kind: 'challenge'; id: string; url: string; clientSecret?: string | undefined }

/** The processor's authorization or charge of an order. */
export type FoundCharge = Omit<Charge, 'reference'>

/** An effect on an authorization. */
export type Effect = Pick<Charge, 'id' | 'amount' | 'differs'>

/** The processor's charge of an order, or its decline. */
export type ReportedCharge = FoundCharge | { status: 'declined'; code: string; declineCode: string }

/** The new state of the row. It is written only if the row still has the state on which the decision was based. */
export type Change =
  | { state: FoundCharge['status'] | 'challenged'; processorId: string }
  | { state: 'declined'; refusal: Decline }

type Interpretation =
  /** `difference`: from the request, for operators. The row is changed anyway. */
  | { kind: 'moved'; change: Change; difference?: string }
  | { kind: 'challenged'; change: Change; action: Omit<PaymentAction, 'expires'> }
  /** The processor refuses a call that the row allows, so its charges are looked up. */
  | { kind: 'look-up'; refused: string }
  | { kind: 'unknown'; reason: string; needsOperator?: true }
  | { kind: 'incident'; reason: string }

type EffectiveCall = Exclude<Call['kind'], 'find' | 'check'>

const REACHED: Record<EffectiveCall, FoundCharge['status']> = {
  authorize: 'authorized',
  capture: 'captured',
  void: 'voided',
  refund: 'refunded',
}

/** Returns the consequence of a call's result for the row of the call. */
export function interpretEffect(
  row: Authorization,
  call: EffectiveCall,
  result: ProcessorResult<Effect> | Challenge,
): Interpretation {
  if (result.kind === 'unknown') return result
  if (result.kind === 'challenge') return challenged(result)
  if (result.kind === 'yes') {
    const expected = call === 'refund' ? remainderOf(row) : totalOf(row)
    return compared(row, { ...result, status: REACHED[call] }, expected)
  }
  if (call !== 'authorize') return { kind: 'look-up', refused: `${call}: ${result.code}` }
  return { kind: 'moved', change: { state: 'declined', refusal: declineOf(result) } }
}

/** Returns the consequence of the look-up of a challenge. `refused`: the call that the processor refused before it. */
export function interpretCheck(
  row: Authorization,
  result: ProcessorResult<FoundCharge> | Challenge,
  refused?: string,
): Exclude<Interpretation, { kind: 'look-up' }> {
  if (result.kind === 'unknown') return result
  if (result.kind === 'challenge') {
    return refused === undefined
      ? challenged(result)
      : {
          kind: 'unknown',
          reason: `the bank still awaits the customer, yet the processor refused ${refused}`,
          needsOperator: true,
        }
  }
  if (result.kind === 'yes') return compared(row, result)
  return { kind: 'moved', change: { state: 'declined', refusal: declineOf(result) } }
}

const challenged = ({
  id,
  url,
  clientSecret,
}: Challenge): Extract<Interpretation, { kind: 'challenged' }> => ({
  kind: 'challenged',
  change: { state: 'challenged', processorId: id },
  action: { type: 'redirect', url, ...(clientSecret !== undefined && { clientSecret }) },
})

/** Returns the consequence of a look-up. `refused`: the call that the processor refused before it. */
export function interpretLookup(
  row: Authorization,
  result: ProcessorResult<{ found: readonly FoundCharge[] }>,
  refused = 'nothing',
): Exclude<Interpretation, { kind: 'look-up' }> {
  if (result.kind === 'unknown') return result
  if (result.kind === 'no')
    return { kind: 'incident', reason: `the processor refuses the look-up: ${result.code}` }
  const [one, ...others] = result.found
  if (others.length > 0) return { kind: 'incident', reason: 'the processor has more than one authorization' }
  if (one) {
    if (isLater(row, one)) return compared(row, one)
    if (row.state !== 'captured' || one.status !== 'captured')
      return { kind: 'incident', reason: `the row is ${row.state}, yet the processor refused ${refused}` }
    // Until refunds that the row does not count yet are read (mirror-charges.ts), a dispute ends, or the balance suffices.
    const difference = `the processor has refunded ${one.refunded ?? 0} cents, the row has ${refundedOf(row)}`
    return { kind: 'unknown', reason: `${difference}, and the processor refused ${refused}` }
  }
  if (row.state !== 'sent')
    return { kind: 'incident', reason: 'the processor does not know the authorization' }
  if (row.ageSeconds <= ARRIVED_AFTER_SECONDS)
    return { kind: 'unknown', reason: 'the processor does not list the authorization yet' }
  const refusal = { code: 'payment-unavailable', declineCode: 'never_arrived' } as const
  return { kind: 'moved', change: { state: 'declined', refusal } }
}

const STATES_IN_ORDER: readonly string[] = [
  'sent',
  'challenged',
  'authorized',
  'captured',
  'voided',
  'refunded',
]
const isLater = (row: Authorization, { status }: FoundCharge): boolean =>
  STATES_IN_ORDER.indexOf(status) > STATES_IN_ORDER.indexOf(row.state)

const totalOf = (row: Authorization): number | null => ('amount' in row ? row.amount : null)
/** The amount that partial refunds left. */
const remainderOf = (row: Authorization): number | null =>
  'amount' in row ? row.amount - refundedOf(row) : null

/** A difference from the `expected` amount is never accepted, but it does not prevent a void or refund. */
function compared(
  row: Authorization,
  found: FoundCharge,
  expected = totalOf(row),
): Extract<Interpretation, { kind: 'moved' | 'incident' }> {
  const { id, amount, status, differs } = found
  const change = { state: status, processorId: id }
  if (amount === expected && differs === undefined) return { kind: 'moved', change }
  const difference = differs ?? `the processor has ${status} ${amount} cents, the row has ${expected}`
  return row.releaseRequested
    ? { kind: 'moved', change, difference }
    : { kind: 'incident', reason: difference }
}
