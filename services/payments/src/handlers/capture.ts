import type { Outcome, PaymentsCapture } from '@platter/contracts'
import type { z } from 'zod'
import { NeedsPerson, type Settle } from '#/settle.ts'
import type { Authorizations } from '#/store/authorizations.ts'

/** Needs no commit before the call: the authorized row and the saga's row say what is wanted. */
export const capture =
  (authorizations: Authorizations, settle: Settle) =>
  async ({ orderApiKey, amount }: z.output<typeof PaymentsCapture.data>): Promise<Outcome | null> => {
    const row = await authorizations.find(orderApiKey)
    if (!row) throw new NeedsPerson(`capture of order ${orderApiKey}: it was never authorized`)
    return settle({ kind: 'capture', amount }, row)
  }
