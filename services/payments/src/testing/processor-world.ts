import { randomBytes } from 'node:crypto'
import { cents } from '@platter/contracts'
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
  endChallenge(id: string, outcome: 'yes' | 'no'): void | Promise<void>
  /** Replaces the card of a token, as a card network reports it. */
  replaceCard(token: string, card: Replacement): void | Promise<void>
  /** Runs the work as if this number of days had passed at the processor. */
  after(days: number, work: () => Promise<void>): Promise<void>
  /** Returns the effects that the processor has recorded for an order, in order. */
  effects(reference: string): string[]
}

type Replacement = { lastFour: string; expirationMonth: string; expirationYear: string }
export type Move = 'authorize' | 'capture' | 'void' | 'refund'

/** A promise of the type `Processor`. */
export type Promised = (world: World) => Promise<void>

export const CARD = {
  cardNumber: '4242424242424242',
  cvv: '314',
  expirationMonth: '05',
  expirationYear: '39',
}
/** Its bank requires authentication. */
export const CHALLENGED_CARD_NUMBER = '4000002760003184'
export const AMOUNT = cents(1075)

export const newReference = () => randomBytes(24).toString('hex')

/** Returns the token of a new card. */
export async function tokenOf(
  { processor }: Pick<World, 'processor'>,
  cardNumber = CARD.cardNumber,
): Promise<string> {
  const result = await processor.tokenize({ ...CARD, cardNumber })
  if (result.kind !== 'yes') throw new Error(`no token: ${JSON.stringify(result)}`)
  return result.token
}

/** Returns a new order, which is paid by this token. */
export function orderOf(token: string) {
  const reference = newReference()
  return { idempotencyKey: `${reference}:authorize:1`, reference, amount: AMOUNT, token }
}
