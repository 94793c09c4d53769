import type { ReadCard } from '@platter/contracts'
import { Problem, type Handler } from '@platter/kit'
import type { Processor } from '#/outside/processor.ts'

type Deps = { processor: Pick<Processor, 'card'> }

export const readCard =
  ({ processor }: Deps): Handler<typeof ReadCard> =>
  async ({ body: { token } }) => {
    const result = await processor.card({ token })
    if (result.kind === 'unknown')
      throw new Problem('payment-unavailable', 'The payment processor is unavailable. Retry the request.', {
        cause: new Error(result.reason),
      })
    if (result.kind === 'no') return { card: null }
    const { brand, lastFour, expirationMonth, expirationYear } = result
    return { card: { brand, lastFour, expirationMonth, expirationYear } }
  }
