import type { ReadCharges } from '@platter/contracts'
import type { Handler } from '@platter/kit'
import { successOf, type Processor } from '#/outside/processor.ts'

type Deps = { processor: Pick<Processor, 'list'> }

export const readCharges =
  ({ processor }: Deps): Handler<typeof ReadCharges> =>
  async ({ body }) =>
    successOf(await processor.list(body))
