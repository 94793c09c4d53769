import type { Card, Processor } from '#/outside/processor.ts'

export type ContractFault =
  | 'drop-request'
  | 'drop-reply'
  | 'error-after-effect'
  | 'slow'
  | 'in-progress'
  | 'rate-limited'
  | 'wrong-amount'

export type World = {
  processor: Processor
  /** The same processor with the time limit IMPATIENT_MS. */
  impatient: Processor
  /** The same processor at an address without a server. */
  unreachable: Processor
  /** Injects a fault into the next request of this kind; `slow` takes SLOW_MS. */
  fault(fault: ContractFault, on: Move | 'tokenize' | 'detach'): void | Promise<void>
  /** Creates a token for this card, as a client does at the processor itself. */
  clientToken(card: Card): Promise<string>
  /** Answers for the customer at the bank. An answer after the end of the challenge changes nothing. */
  settleChallenge(id: string, outcome: 'yes' | 'no'): void | Promise<void>
  /** Replaces the card of a token, as a card network reports it. */
  replaceCard(token: string, card: Replacement): void | Promise<void>
  /** Runs the work as if this number of days had passed at the processor. */
  after(days: number, work: () => Promise<void>): Promise<void>
  /** Returns the effects that the processor has recorded for an order, in order. */
  effects(reference: string): string[]
}

type Replacement = { lastFour: string; expirationMonth: string; expirationYear: string }
export type Move = 'authorize' | 'capture' | 'void' | 'refund'
