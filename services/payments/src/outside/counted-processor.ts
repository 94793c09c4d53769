import type { Log } from '@platter/kit'
import { isCardDecline } from '#/domain/declines.ts'
import type { CardLimits } from '#/store/card-limits.ts'
import type { Processor } from '#/outside/processor.ts'

type Deps = { processor: Processor; limits: Pick<CardLimits, 'countDeclineOfToken'>; log: Log }

/** Returns a processor whose declines are counted. The declined order does not wait for the count. */
export function countedProcessor({ processor, limits, log }: Deps): Processor {
  return {
    ...processor,
    async authorize(call) {
      const result = await processor.authorize(call)
      if (result.kind === 'no' && isCardDecline(result)) {
        limits
          .countDeclineOfToken(call.token)
          .catch((error: unknown) => log.warn({ err: error }, 'a declined card was not counted'))
      }
      return result
    },
  }
}
