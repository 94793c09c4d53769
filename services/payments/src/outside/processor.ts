import {
  requestTimes,
  sanitizeText,
  type CardDetails,
  type Cents,
  type Charge,
  type Tokenize,
} from '@platter/contracts'
import { Problem } from '@platter/kit'
import { z } from 'zod'
import type { Call } from '#/domain/authorization.ts'
import type { FoundRefund } from '#/domain/refund.ts'
import type { Challenge, Effect, FoundCharge, ProcessorResult } from '#/domain/processor-result.ts'
import type { ReadCharge } from '#/domain/charge-after-sale.ts'

export type CallOf<K extends Call['kind']> = Omit<Extract<Call, { kind: K }>, 'kind'>

/** Time limits to connect, and for a whole call. */
export const CONNECT_WITHIN_MS = 1_000
export const CALL_WITHIN_MS = requestTimes.processor
/**
 * The maximum number of concurrent commands of one kind per replica. They wait for the processor, so the number follows from its
 * latency. At 6 s, the maximum duration of a call, it allows 170 orders per second, about the CPU capacity of one replica. With 16,
 * as for handlers that wait only for PostgreSQL, a processor with a latency of 1 s allowed 15 orders per second.
 */
export const COMMANDS_AT_ONCE = 1_024
/**
 * For authorizations, captures, releases and the tokens of as many orders; refunds are few. Connections are opened on demand,
 * because a call must not wait for one.
 */
export const CONNECTIONS = 4 * COMMANDS_AT_ONCE
/** A larger response is unreadable. 25 other sales of the account with the most metadata, also of their charges, have 1.3 MB. */
export const RESPONSE_BYTES = 2 * 1024 * 1024

/** Sanitizes a code or an error text of the processor, which is stored, logged and shown to operators. */
export const readable = (text: string): string => sanitizeText(text, 200)
export const Word = z.string().overwrite(readable)
/** Printable ASCII. An identifier is never sanitized: another text would name another object. */
export const Id = z.string().regex(/^[!-~]{1,255}$/)

/** A card as its owner typed it. It exists for the duration of one call and is never stored. */
export type Card = { cardNumber: string; cvv: string; expirationMonth: string; expirationYear: string }
/** A token that the client created at the processor. It can be exchanged once; repeating the same exchange has the same result. */
export type ProcessorToken = { processorToken: string }
/** Billing details of a new card. They are sent to the processor, and payments does not store them. */
export type Cardholder = { name: string; street: string; zip: string }
export type { CardDetails } from '@platter/contracts'
/** A card that can be charged again. The expiry is the processor's, and is present for a processor token. */
export type SavedToken = z.output<typeof Tokenize.response>

/** `idempotencyKey`: the refund's apiKey, the `key` among the refunds of the charge. `id`: the id of the charge. */
export type RefundPart = { idempotencyKey: string; id: string; amount: Cents }

/** A page of the processor's charges, in any order; `after` is the cursor of the next page, null on the last one. */
type ChargePage = { charges: Charge[]; after: string | null }

/** A change of the balance at the processor. `amount` is positive for arriving money. `fee` is the processor's fee. */
export type BalanceTransaction = {
  id: string
  kind: 'payment' | 'refund' | 'dispute' | 'dispute-reversal' | 'fee'
  /** The id of the authorization; null for a balance transaction without one. */
  charge: string | null
  /** The order; null if the processor does not report it. */
  reference: string | null
  amount: number
  fee: number
  at: number
}

export type BalanceTransactionPage = { balanceTransactions: BalanceTransaction[]; after: string | null }

/** From `from` to before `to` in epoch seconds. `after`: the cursor of a page in it; null for the first page. */
export type Period = { from: number; to: number; after: string | null }

/** Reads of a payment processor that move no money. No method rejects. */
export type ProcessorReads = {
  /** Returns null for an id that is unknown to the processor. */
  charge(id: string): Promise<ProcessorResult<{ charge: ReadCharge | null }>>
  /** Returns the balance transactions in a period; `after` is the cursor of the next page. */
  balanceTransactions(period: Period): Promise<ProcessorResult<BalanceTransactionPage>>
}

/**
 * A payment processor. No method rejects: each result states the known facts. Within 24 h, the same idempotency key with the same
 * values has one effect. Amounts are in cents.
 */
export type Processor = ProcessorReads & {
  tokenize(card: Card | ProcessorToken, holder?: Cardholder): Promise<ProcessorResult<SavedToken>>
  /** Returns a challenge only for a call with `authentication`. Without it, a card that requires authentication is declined. */
  authorize(call: CallOf<'authorize'>): Promise<ProcessorResult<Effect> | Challenge>
  capture(call: CallOf<'capture'>): Promise<ProcessorResult<Effect>>
  void(call: CallOf<'void'>): Promise<ProcessorResult<Effect>>
  refund(call: CallOf<'refund'>): Promise<ProcessorResult<Effect>>
  /** Refunds a part of a captured charge. It may stay pending at the processor, and fail later. */
  refundPart(call: RefundPart): Promise<ProcessorResult<FoundRefund>>
  /**
   * Looks up a challenged authorization by its id. `no`: nothing is authorized, and never will be. `void` cancels an open
   * challenge, and also voids one that the customer has confirmed in the meantime.
   */
  check(call: CallOf<'check'>): Promise<ProcessorResult<FoundCharge> | Challenge>
  /** Returns the current details of a card, because its bank may have replaced it. `no`: the processor has no details of it. */
  card(call: { token: string }): Promise<ProcessorResult<CardDetails>>
  /**
   * Detaches a saved card, which can never be charged again. Its authorizations and charges can still be captured, voided, refunded and
   * found. `no`: the processor has no such card.
   */
  detach(call: { token: string }): Promise<ProcessorResult<unknown>>
  /** Returns the authorizations and charges of an order with this token, without declined ones. */
  find(call: CallOf<'find'>): Promise<ProcessorResult<{ found: FoundCharge[] }>>
  /** Returns all authorizations and charges created in a period, by the processor's clock. */
  list(period: Period): Promise<ProcessorResult<ChargePage>>
  close(): Promise<void>
}

/** Looks up a refund by its idempotency key, among the refunds of its charge. Unknown while the disputes of the charge cannot be read. */
export async function findRefund(
  { charge: read }: Pick<ProcessorReads, 'charge'>,
  { id, idempotencyKey }: Omit<RefundPart, 'amount'>,
): Promise<ProcessorResult<FoundRefund>> {
  const result = await read(id)
  if (result.kind !== 'yes') return result
  return { kind: 'yes', found: result.charge?.refunds.find(({ key }) => key === idempotencyKey) ?? null }
}

/** Returns the problem of a result without facts. The reason is only logged. */
export const unavailable = (
  reason: string,
  detail = 'The payment processor is unavailable. Please try again.',
): Problem => new Problem('payment-unavailable', detail, { cause: new Error(reason) })

const NO_CHARGES = 'The charges cannot be read from the payment processor. Please try again.'

/** Throws Problem payment-unavailable for any other result: an unreadable list of charges is not an empty one. */
export function successOf<T>(result: ProcessorResult<T>, detail = NO_CHARGES): T {
  if (result.kind === 'yes') return result
  throw unavailable(result.kind === 'no' ? result.code : result.reason, detail)
}
