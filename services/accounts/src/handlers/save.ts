import type { Bus, Received } from '@platter/bus'
import { SagaAnswer, type AccountsSave } from '@platter/contracts'
import type { z } from 'zod'
import { saveAddress } from '#/store/addresses.ts'
import { saveCard } from '#/store/cards.ts'
import type { Db } from '#/store/tables.ts'

type Command = z.output<typeof AccountsSave.data>

/**
 * Card and address have the keys that the order gave them, so saying the command again, or twice at once,
 * changes nothing and is answered all the same; after a crash between the two it completes them. Throws
 * NotPublished when the reply could not be published: the saga republishes the command.
 */
export const save =
  (db: Db, bus: Pick<Bus, 'publish'>) =>
  async ({ userApiKey, card, address, ...command }: Command, { requestId }: Pick<Received, 'requestId'>) => {
    if (card) await saveCard(db, userApiKey, card)
    if (address) await saveAddress(db, userApiKey, address)
    const { orderApiKey, step, undo, version, attempt } = command
    const answer = { orderApiKey, step, undo, version, attempt, outcome: { kind: 'done' as const } }
    await bus.publish(SagaAnswer, answer, { requestId })
  }
