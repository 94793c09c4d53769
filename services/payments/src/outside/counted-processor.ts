import type { Log } from '@platter/kit'
import { isCardsFault } from '#/domain/refusals.ts'
import type { CardLimits } from '#/store/card-limits.ts'
import type { Processor } from '#/outside/processor.ts'

/** A processor whose declines are counted, behind the back of the order that was declined: that one is over already. */
export function countedProcessor<P extends Processor>(
  processor: P,
  limits: Pick<CardLimits, 'declinedByToken'>,
  log: Log,
): P {
  return {
    ...processor,
    async authorize(call) {
      const answer = await processor.authorize(call)
      if (answer.kind === 'no' && isCardsFault(answer)) {
        limits
          .declinedByToken(call.token)
          .catch((error: unknown) => log.warn({ err: error }, 'a declined card was not counted'))
      }
      return answer
    },
  }
}
