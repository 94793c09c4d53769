import { requestTimes, sanitizeText, type CardDetails, type Cents, type Charge } from '@platter/contracts'
import { Problem } from '@platter/kit'
import { z } from 'zod'
import type { Call } from '#/domain/authorization.ts'
import type { ProcessorRefund } from '#/domain/refund.ts'
import type { Challenge, Effect, FoundCharge, ProcessorResult } from '#/domain/processor-result.ts'

export type CallOf<K extends Call['kind']> = Omit<Extract<Call, { kind: K }>, 'kind'>

/** Time limits to connect, and for a whole call. */
export const CONNECT_WITHIN_MS = 1_000
export const CALL_WITHIN_MS = requestTimes.processor
/**
 * Commands of one kind that a replica executes at once. They wait for the processor, so the number follows from its latency:
 * at the 6 s that a call may take it still allows 170 orders a second, about the capacity of one replica's CPU. With 16, as for
 * handlers that only wait for PostgreSQL, a processor with a latency of 1 s allowed 15.
 */
export const COMMANDS_AT_ONCE = 1_024
/** For three kinds of commands and the tokens of as many orders. Opened on demand: a call must not wait for a connection. */
export const CONNECTIONS = 4 * COMMANDS_AT_ONCE
/** A response has some kilobytes. A larger one is unreadable. */
export const RESPONSE_BYTES = 256 * 1024

/** Sanitizes a code or an error text of the processor, which is stored, logged and shown to operators. */
export const readable = (text: string): string => sanitizeText(text, 200)
export const Word = z.string().overwrite(readable)
/** Printable ASCII. An identifier is never sanitized: another text would name another object. */
export const Id = z.string().regex(/^[!-~]{1,255}$/)

/** A card as its owner typed it. It exists for the length of one call and is never stored. */
export type Card = { cardNumber: string; cvv: string; expirationMonth: string; expirationYear: string }
/** A token that the client created at the processor. It can be exchanged once; the same exchange repeated has the same result. */
export type ProcessorToken = { processorToken: string }
/** Billing details of a new card. They are sent to the processor, and payments does not store them. */
export type Cardholder = { name: string; street: string; zip: string }
export type { CardDetails } from '@platter/contracts'
/** A card that can be charged again. The expiry is that of the processor, present for a processor token. */
export type SavedToken = {
  token: string
  brand: string
  lastFour: string
  expirationMonth?: string | undefined
  expirationYear?: string | undefined
}

/** `idempotencyKey`: the refund's apiKey, by which it is found again. `id`: of the charge. */
export type RefundPart = { idempotencyKey: string; id: string; amount: Cents }

/** A page of the processor's charges, in any order; `after` is the cursor of the next page, null on the last one. */
export type ChargePage = { charges: Charge[]; after: string | null }

/**
 * A payment processor. No method rejects: each result states what is known. The same idempotency key with the same values has
 * one effect, however often it is used within 24 h. Amounts are in cents.
 */
export type Processor = {
  tokenize(card: Card | ProcessorToken, holder?: Cardholder): Promise<ProcessorResult<SavedToken>>
  /** A challenge only for a call with `authentication`; without it, a card that requires authentication is declined. */
  authorize(call: CallOf<'authorize'>): Promise<ProcessorResult<Effect> | Challenge>
  capture(call: CallOf<'capture'>): Promise<ProcessorResult<Effect>>
  void(call: CallOf<'void'>): Promise<ProcessorResult<Effect>>
  refund(call: CallOf<'refund'>): Promise<ProcessorResult<Effect>>
  /** Refunds a part of a captured charge. It may stay pending at the processor, and fail later. */
  refundPart(call: RefundPart): Promise<ProcessorResult<{ found: ProcessorRefund | null }>>
  /** Looks a refund of a charge up by its idempotency key; `found` is null when the processor does not have it. */
  findRefund(call: {
    id: string
    refund: string
  }): Promise<ProcessorResult<{ found: ProcessorRefund | null }>>
  /**
   * Looks a challenged authorization up by its id. `no`: nothing is authorized, and never will be. An open one is voided by `void`,
   * and so is one that the customer has confirmed meanwhile.
   */
  check(call: CallOf<'check'>): Promise<ProcessorResult<FoundCharge> | Challenge>
  /** Returns a card as it is now: its bank may have replaced it. `no`: the processor has no details of it. */
  card(call: { token: string }): Promise<ProcessorResult<CardDetails>>
  /**
   * Detaches a saved card, which can never be charged again. Its authorizations and charges can still be captured, voided, refunded and
   * found. `no`: the processor has no such card.
   */
  detach(call: { token: string }): Promise<ProcessorResult<unknown>>
  /** Returns the authorizations and charges of an order with this token, without declined ones. */
  find(call: CallOf<'find'>): Promise<ProcessorResult<{ found: FoundCharge[] }>>
  /** Returns all authorizations and charges created from `from` to before `to` (epoch seconds, by the processor's clock). */
  list(time: { from: number; to: number; after: string | null }): Promise<ProcessorResult<ChargePage>>
  close(): Promise<void>
}

/** Throws Problem payment-unavailable for any other result: an unreadable list of charges is not an empty one. */
export function successOf<T>(result: ProcessorResult<T>): T {
  if (result.kind === 'yes') return result
  const reason = result.kind === 'no' ? result.code : result.reason
  throw new Problem(
    'payment-unavailable',
    'The charges cannot be read from the payment processor. Please try again.',
    {
      cause: new Error(reason),
    },
  )
}

/** Returns the code or name of an error. Its message could quote what was sent. */
export function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
