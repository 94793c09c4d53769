import type { Command } from '#/message.ts'
import * as accounts from '#/messages/accounts.ts'
import * as afterSale from '#/messages/after-sale.ts'
import * as catalog from '#/messages/catalog.ts'
import * as payments from '#/messages/payments.ts'
import * as saga from '#/messages/saga.ts'

const isCommand = (value: object): value is Command => 'kind' in value && value.kind === 'command'

/** The commands of all services. Each command has a dead-letter queue. */
export const commands: readonly Command[] = Object.values<object>({
  ...accounts,
  ...afterSale,
  ...catalog,
  ...payments,
  ...saga,
}).filter(isCommand)
