import type { AccountsResolve } from '@platter/contracts'
import type { z } from 'zod'
import { notFound, NOTHING_FOUND } from '#/domain/resolution.ts'
import { findRecipient } from '#/store/recipients.ts'
import type { TenantDb } from '#/store/tables.ts'

type Asked = z.output<typeof AccountsResolve.data>
type Answer = z.input<typeof AccountsResolve.answer>

/** A guest has no saved card and no saved address. */
export const resolve =
  (tenantDb: TenantDb) =>
  async (asked: Asked): Promise<Answer> => {
    const { applicationId, recipientApiKey: userApiKey } = asked
    const found =
      userApiKey === null
        ? undefined
        : await findRecipient(tenantDb(applicationId), { userApiKey, applicationId }, asked)
    return { faults: notFound(asked, found ?? NOTHING_FOUND), ...(found ?? NOTHING_FOUND) }
  }
