import type { MissingRefunds } from '@platter/contracts'
import type { Handler } from '@platter/kit'
import type { ChargeMirrorStore } from '#/store/charge-mirrors.ts'

type Deps = { mirrors: Pick<ChargeMirrorStore, 'missingRefunds'> }

export const missingRefunds =
  ({ mirrors }: Deps): Handler<typeof MissingRefunds> =>
  async ({ body }) => ({ refunds: await mirrors.missingRefunds(body) })
