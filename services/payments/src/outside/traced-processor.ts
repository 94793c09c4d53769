import { counter, inSpan, SpanKind } from '@platter/kit'
import type { Answer } from '#/domain/learn.ts'
import type { Processor, ProcessorBook } from '#/outside/processor.ts'

const charges = counter('platter.charges', {
  unit: '{call}',
  description: 'Calls that move money at the payment processor, by kind and what it said.',
})

const EFFECTS = ['authorize', 'capture', 'void', 'refund'] as const
type Effect = (typeof EFFECTS)[number]

/**
 * A processor whose calls are spans, and whose effects are counted. A card is never an attribute, and what was said
 * is its kind only: yes, no, or unknown.
 */
export function tracedProcessor(
  processor: Processor & ProcessorBook,
  address: URL,
): Processor & ProcessorBook {
  const call = <T>(move: string, ask: () => Promise<Answer<T>>): Promise<Answer<T>> =>
    inSpan(
      () => ({
        name: `processor ${move}`,
        kind: SpanKind.CLIENT,
        attributes: { 'server.address': address.hostname, 'platter.processor.move': move },
      }),
      async (span) => {
        const answer = await ask()
        span?.setAttribute('platter.processor.answer', answer.kind)
        if (isEffect(move)) charges({ 'platter.charge.kind': move, 'platter.charge.outcome': answer.kind })
        return answer
      },
    )
  return {
    tokenize: (card) => call('tokenize', () => processor.tokenize(card)),
    authorize: (wanted) => call('authorize', () => processor.authorize(wanted)),
    capture: (wanted) => call('capture', () => processor.capture(wanted)),
    void: (wanted) => call('void', () => processor.void(wanted)),
    refund: (wanted) => call('refund', () => processor.refund(wanted)),
    find: (wanted) => call('find', () => processor.find(wanted)),
    list: (time) => call('list', () => processor.list(time)),
    close: () => processor.close(),
  }
}

const isEffect = (move: string): move is Effect => (EFFECTS as readonly string[]).includes(move)
