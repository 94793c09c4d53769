import type { Outcome, PaymentsCapture } from '@platter/contracts'
import type { z } from 'zod'
import { IncidentError, type ExecuteCommand } from '#/command-executor.ts'
import type { AuthorizationStore } from '#/store/authorizations.ts'

type Deps = { authorizations: Pick<AuthorizationStore, 'find'>; execute: ExecuteCommand }

/** No commit precedes the call, because the authorized row and the saga's row already record the intent. */
export const capture =
  ({ authorizations, execute }: Deps) =>
  async ({ orderApiKey, amount }: z.output<typeof PaymentsCapture.data>): Promise<Outcome | null> => {
    const row = await authorizations.find(orderApiKey)
    if (!row) throw new IncidentError(`capture of order ${orderApiKey}: it was never authorized`)
    return execute({ kind: 'capture', amount }, row)
  }
