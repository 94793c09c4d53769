import type { Outcome, PaymentsAuthorize } from '@platter/contracts'
import type { z } from 'zod'
import type { ExecuteCommand } from '#/command-executor.ts'
import type { Decline } from '#/domain/declines.ts'
import { statementSuffixOf } from '#/domain/statement-suffix.ts'
import type { AuthorizationStore } from '#/store/authorizations.ts'

type Deps = {
  authorizations: Pick<AuthorizationStore, 'findOrCreate'>
  execute: ExecuteCommand
  /** The refusal of every authorization (PROCESSOR=none); null with a processor. */
  refusal: Decline | null
}

/**
 * The row is committed before the call. After a crash, the next attempt finds that the call may have been made. Without a processor
 * a new row is inserted as declined, so that no replica with an earlier setting can send it. An existing row keeps the state of its
 * processor.
 */
export const authorize =
  ({ authorizations, execute, refusal }: Deps) =>
  async (command: z.output<typeof PaymentsAuthorize.data>): Promise<Outcome | null> => {
    const { orderApiKey, amount, token, authentication, restaurantName = '', savesCard } = command
    const terms = {
      amount,
      token,
      authentication,
      statementSuffix: statementSuffixOf(restaurantName),
      savesCard,
    }
    const row = await authorizations.findOrCreate(orderApiKey, terms, refusal)
    return execute({ kind: 'authorize', ...terms }, row)
  }
