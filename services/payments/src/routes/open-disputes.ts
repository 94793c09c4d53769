import type { OpenDisputes } from '@platter/contracts'
import type { Handler } from '@platter/kit'
import type { ChargeMirrorStore } from '#/store/charge-mirrors.ts'

type Deps = { mirrors: Pick<ChargeMirrorStore, 'openDisputes'> }

export const openDisputes =
  ({ mirrors }: Deps): Handler<typeof OpenDisputes> =>
  async ({ body }) => ({ disputes: await mirrors.openDisputes(body) })
