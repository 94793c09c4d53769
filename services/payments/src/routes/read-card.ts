import type { ReadCard } from '@platter/contracts'
import type { Handler } from '@platter/kit'
import { unavailable, type Processor } from '#/outside/processor.ts'

type Deps = { processor: Pick<Processor, 'card'> }

export const readCard =
  ({ processor }: Deps): Handler<typeof ReadCard> =>
  async ({ body: { token } }) => {
    const result = await processor.card({ token })
    if (result.kind === 'unknown') throw unavailable(result.reason)
    if (result.kind === 'no') return { card: null }
    const { brand, lastFour, expirationMonth, expirationYear } = result
    return { card: { brand, lastFour, expirationMonth, expirationYear } }
  }
