import type { Bus, Received } from '@platter/bus'
import { SagaReply, type AccountsSave } from '@platter/contracts'
import type { z } from 'zod'
import { saveAddress } from '#/store/addresses.ts'
import { saveCard } from '#/store/cards.ts'
import type { Db } from '#/store/tables.ts'

type Command = z.output<typeof AccountsSave.data>

/**
 * Saves the new card and address of an order. Both have the keys that the order gave them, so a repeated command changes nothing,
 * and its reply is published again; after a crash between the two it completes them. Throws NotPublished when the reply could not
 * be published: the saga republishes the command.
 */
export const save =
  (db: Db, bus: Pick<Bus, 'publish'>) =>
  async ({ userApiKey, card, address, ...command }: Command, { requestId }: Pick<Received, 'requestId'>) => {
    if (card) await saveCard(db, userApiKey, card)
    if (address) await saveAddress(db, userApiKey, address)
    const { orderApiKey, step, undo, version, attempt } = command
    const reply = { orderApiKey, step, undo, version, attempt, outcome: { kind: 'done' as const } }
    await bus.publish(SagaReply, reply, { requestId })
  }
