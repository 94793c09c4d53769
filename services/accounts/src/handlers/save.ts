import type { Bus, Context } from '@platter/bus'
import { SagaReply, type AccountsSave } from '@platter/contracts'
import type { z } from 'zod'
import type { AddressStore } from '#/store/addresses.ts'
import type { CardStore } from '#/store/cards.ts'

type Deps = {
  cards: Pick<CardStore, 'save'>
  addresses: Pick<AddressStore, 'save'>
  bus: Pick<Bus, 'publish'>
}
type Command = z.output<typeof AccountsSave.data>

/**
 * Handles the command accounts.save: saves the new card and address of an order. Their apiKeys come from the order, so a repeated
 * command changes nothing and publishes its reply again. After a crash between the two it saves the second one. Throws Unavailable
 * if the reply could not be published; the saga then republishes the command.
 */
export const save =
  ({ cards, addresses, bus }: Deps) =>
  async ({ userApiKey, card, address, ...command }: Command, { requestId }: Context) => {
    if (card) await cards.save(userApiKey, card)
    if (address) await addresses.save(userApiKey, address)
    await bus.publish(SagaReply, { ...command, outcome: { kind: 'done' } }, { requestId })
  }
