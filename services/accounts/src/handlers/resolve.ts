import type { AccountsResolve } from '@platter/contracts'
import type { Db } from '@platter/kit'
import type { z } from 'zod'
import type { CurrentCard } from '#/current-card.ts'
import { notFound, NOTHING_FOUND } from '#/domain/resolution.ts'
import type { RecipientStore } from '#/store/recipients.ts'
import type { TenantDb } from '#/store/tables.ts'

type Request = z.output<typeof AccountsResolve.data>
type Reply = z.input<typeof AccountsResolve.reply>

type Deps = { tenantDb: TenantDb; recipients: (db: Db) => RecipientStore; currentCard: CurrentCard }

/** Handles the question `accounts.resolve`. A guest has no saved card and no saved address. */
export const resolve =
  ({ tenantDb, recipients, currentCard }: Deps) =>
  async (request: Request): Promise<Reply> => {
    const { applicationId, recipientApiKey: userApiKey } = request
    const user =
      userApiKey === null
        ? undefined
        : await recipients(tenantDb(applicationId)).find({ userApiKey, applicationId }, request)
    const found = user ?? NOTHING_FOUND
    return { faults: notFound(request, found), ...found, card: found.card && (await currentCard(found.card)) }
  }
