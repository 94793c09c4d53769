import type { Outcome, PaymentsRelease } from '@platter/contracts'
import type { z } from 'zod'
import type { ExecuteCommand } from '#/command-executor.ts'
import type { AuthorizationStore } from '#/store/authorizations.ts'

type Deps = { authorizations: Pick<AuthorizationStore, 'requestRelease'>; execute: ExecuteCommand }

/** The request is committed before any call: from then on, an authorization that arrives late is voided. */
export const release =
  ({ authorizations, execute }: Deps) =>
  async ({ orderApiKey }: z.output<typeof PaymentsRelease.data>): Promise<Outcome | null> =>
    execute({ kind: 'release' }, await authorizations.requestRelease(orderApiKey))
