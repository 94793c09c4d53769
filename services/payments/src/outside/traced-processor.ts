import { counter, inSpan, SpanKind } from '@platter/kit'
import type { Challenge, ProcessorResult } from '#/domain/processor-result.ts'
import type { Processor } from '#/outside/processor.ts'

const calls = counter('platter.processor.calls')

const EFFECTS: readonly string[] = ['authorize', 'capture', 'void', 'refund']

/**
 * Returns a processor whose calls for orders have spans, and whose effects are counted. An attribute never contains a card, and only
 * the kind of a result: yes, no, or unknown.
 */
export function tracedProcessor(processor: Processor, address: URL): Processor {
  const traced = <R extends ProcessorResult<unknown> | Challenge>(
    name: string,
    call: () => Promise<R>,
  ): Promise<R> =>
    inSpan(
      () => ({
        name: `processor ${name}`,
        kind: SpanKind.CLIENT,
        attributes: { 'server.address': address.hostname, 'platter.processor.call': name },
      }),
      async (span) => {
        const result = await call()
        span?.setAttribute('platter.processor.outcome', result.kind)
        if (EFFECTS.includes(name))
          calls({ 'platter.processor.call': name, 'platter.processor.outcome': result.kind })
        return result
      },
    )
  return {
    tokenize: (card, holder) => traced('tokenize', () => processor.tokenize(card, holder)),
    authorize: (call) => traced('authorize', () => processor.authorize(call)),
    capture: (call) => traced('capture', () => processor.capture(call)),
    void: (call) => traced('void', () => processor.void(call)),
    refund: (call) => traced('refund', () => processor.refund(call)),
    refundPart: (call) => traced('refund', () => processor.refundPart(call)),
    check: (call) => traced('check', () => processor.check(call)),
    card: (call) => traced('card', () => processor.card(call)),
    detach: (call) => traced('detach', () => processor.detach(call)),
    find: (call) => traced('find', () => processor.find(call)),
    list: (time) => traced('list', () => processor.list(time)),
    charge: (id) => traced('charge', () => processor.charge(id)),
    balanceTransactions: (time) => processor.balanceTransactions(time),
    close: () => processor.close(),
  }
}
