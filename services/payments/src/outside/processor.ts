import { requestTimes, sanitizeText, type Charge } from '@platter/contracts'
import { z } from 'zod'
import type { Call } from '#/domain/authorization.ts'
import type { Answer, Effect, Found } from '#/domain/learn.ts'

type CallTo<M extends Call['move']> = Omit<Extract<Call, { move: M }>, 'move'>

/** To connect, and for a whole call. */
export const CONNECT_WITHIN_MS = 1_000
export const ANSWER_WITHIN_MS = requestTimes.processor
/**
 * Commands of one kind that a replica handles at once. They wait for the processor, so the number follows from its latency:
 * at the 6 s that a call may take it still allows 170 orders a second, about what one replica's CPU can do. With the 16 of a
 * handler that waits for PostgreSQL only, a processor that took 1 s allowed 15.
 */
export const COMMANDS_AT_ONCE = 1_024
/** Three kinds of commands and the tokens of as many orders; opened as they are needed. A call must not wait for a connection. */
export const CONNECTIONS = 4 * COMMANDS_AT_ONCE
/** An answer has some kilobytes; whatever is larger is none (reliability 4.2, API10). */
export const ANSWER_BYTES = 256 * 1024

/** A code of the processor, or a sentence of its error: stored, logged and shown to operators. */
export const readable = (text: string): string => sanitizeText(text, 200)
export const Word = z.string().overwrite(readable)
/** An identifier is kept as it is or refused: another text would name something else. Printable ASCII. */
export const Id = z.string().regex(/^[!-~]{1,255}$/)

/** A card as its owner typed it. It exists for the length of one call and is never kept. */
export type Card = { cardNumber: string; cvv: string; expirationMonth: string; expirationYear: string }

/**
 * A payment processor, whichever it is. Never rejects: each answer says what is known. The same idempotency
 * key with the same values has one effect, however often it is used within 24 h.
 */
export type Processor = {
  tokenize(card: Card): Promise<Answer<{ token: string; brand: string; lastFour: string }>>
  /** Holds the amount, in cents. */
  authorize(call: CallTo<'authorize'>): Promise<Answer<Effect>>
  /** Takes what is held. */
  capture(call: CallTo<'capture'>): Promise<Answer<Effect>>
  /** Gives back what is held. */
  void(call: CallTo<'void'>): Promise<Answer<Effect>>
  /** Gives back what was taken. */
  refund(call: CallTo<'refund'>): Promise<Answer<Effect>>
  /** What is or was held for an order with this token; declined authorizations are not among it. */
  find(call: CallTo<'find'>): Promise<Answer<{ found: Found[] }>>
  close(): Promise<void>
}

/** A page of what the processor has, in whatever order it likes; `after` is where the next one begins. */
export type ChargePage = { charges: Charge[]; after: string | null }

/** The processor's own book, for reconciliation. Never rejects. */
export type ProcessorBook = {
  /** Everything that was ever held or taken, made from `from` to before `to` (epoch seconds, by the processor's clock). */
  list(time: { from: number; to: number; after: string | null }): Promise<Answer<ChargePage>>
}
