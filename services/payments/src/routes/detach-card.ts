import type { DetachCard } from '@platter/contracts'
import type { Handler } from '@platter/kit'
import { unavailable, type Processor } from '#/outside/processor.ts'

type Deps = { processor: Pick<Processor, 'detach'> }

/** Accounts repeats the request until the outcome is known. */
export const detachCard =
  ({ processor }: Deps): Handler<typeof DetachCard> =>
  async ({ body: { token } }) => {
    const result = await processor.detach({ token })
    if (result.kind === 'unknown') throw unavailable(result.reason)
    return { detached: result.kind === 'yes' }
  }
