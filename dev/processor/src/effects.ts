import { randomUUID } from 'node:crypto'
import type { Entry } from './ledger.ts'

/** A response of the processor. */
export type Response = { status: number; body: Record<string, unknown> }

/** A request for an effect, and its identity. Only equal requests have an equal `fingerprint`. */
export type EffectRequest = { idempotencyKey: string; fingerprint: string } & (
  | {
      kind: 'authorize'
      token: string
      amount: number
      reference: string
      authentication?: { returnUrl: string | null } | undefined
      statementSuffix?: string | undefined
    }
  | { kind: 'authenticate'; id: string; outcome: 'yes' | 'no' }
  | { kind: 'capture' | 'refund'; id: string; amount: number }
  | { kind: 'void'; id: string }
  | { kind: 'fail-refund'; reference: string }
  | { kind: 'dispute'; id: string; amount: number; reason: string; isRefundable?: boolean | undefined }
  | { kind: 'close-dispute'; dispute: string; outcome: 'won' | 'lost' }
)

export type WithoutIdentity<A> = A extends unknown ? Omit<A, 'idempotencyKey' | 'fingerprint'> : never

/** Returns the identity of a request without an idempotency key, so that each has an effect. */
export function newIdentity(prefix: string) {
  const key = `${prefix}${randomUUID()}`
  return { idempotencyKey: key, fingerprint: key }
}

/** An effect, which must be written to the ledger before its response, or a response without an effect. `also`: its second line. */
export type Decision =
  | { kind: 'effect'; entry: Entry; also?: Entry }
  | { kind: 'response'; response: Response }

/** Amounts in cents: `amount` is the authorized amount; `captured` is null before the capture. */
export type Authorization = {
  id: string
  /** The time of its creation in epoch seconds. */
  at: number
  reference: string
  amount: number
  captured: number | null
  refunded: number
  voided: boolean
  /** All approved lines of the ledger for it. */
  entries: Entry[]
}
