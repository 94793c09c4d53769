import type { Outcome, PaymentsRelease } from '@platter/contracts'
import type { z } from 'zod'
import type { Settle } from '#/settle.ts'
import type { Authorizations } from '#/store/authorizations.ts'

/** The intent is committed before anything is called: from then on an authorization that arrives is given back. */
export const release =
  (authorizations: Authorizations, settle: Settle) =>
  async ({ orderApiKey }: z.output<typeof PaymentsRelease.data>): Promise<Outcome | null> =>
    settle({ kind: 'release' }, await authorizations.requestRelease(orderApiKey))
