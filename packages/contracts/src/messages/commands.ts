import type { Command } from '#/message.ts'
import { AccountsSave, AccountsSetCard } from '#/messages/accounts.ts'
import { OrdersSetRefunds, PaymentsRefundsSet } from '#/messages/after-sale.ts'
import { CatalogAttendance } from '#/messages/catalog.ts'
import {
  PaymentMoved,
  PaymentsAuthorize,
  PaymentsCapture,
  PaymentsRefund,
  PaymentsRelease,
} from '#/messages/payments.ts'
import { SagaReply } from '#/messages/saga.ts'

/** The commands of all services. Each command has a dead-letter queue. */
export const commands: readonly Command[] = [
  PaymentsAuthorize,
  PaymentsCapture,
  PaymentsRelease,
  PaymentsRefund,
  AccountsSave,
  AccountsSetCard,
  SagaReply,
  PaymentMoved,
  CatalogAttendance,
  OrdersSetRefunds,
  PaymentsRefundsSet,
]
