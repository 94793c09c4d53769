import type { Outcome, PaymentsAuthorize } from '@platter/contracts'
import type { z } from 'zod'
import type { ExecuteCommand } from '#/command-executor.ts'
import type { AuthorizationStore } from '#/store/authorizations.ts'

type Deps = { authorizations: Pick<AuthorizationStore, 'findOrCreate'>; execute: ExecuteCommand }

/** The row is committed before the call: after a crash, the next attempt finds that the call may have been made. */
export const authorize =
  ({ authorizations, execute }: Deps) =>
  async (command: z.output<typeof PaymentsAuthorize.data>): Promise<Outcome | null> => {
    const { orderApiKey, amount, token, authentication } = command
    const terms = { amount, token, authentication }
    return execute({ kind: 'authorize', ...terms }, await authorizations.findOrCreate(orderApiKey, terms))
  }
