import type { Outcome, PaymentsAuthorize } from '@platter/contracts'
import type { z } from 'zod'
import type { Settle } from '#/settle.ts'
import type { Authorizations } from '#/store/authorizations.ts'

/** The row is committed before the processor is asked, so that whoever comes next knows that it may have been. */
export const authorize =
  (authorizations: Authorizations, settle: Settle) =>
  async ({ orderApiKey, amount, token }: z.output<typeof PaymentsAuthorize.data>): Promise<Outcome | null> =>
    settle({ kind: 'authorize', amount, token }, await authorizations.send(orderApiKey, { amount, token }))
