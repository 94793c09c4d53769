import type { Command } from '../message.ts'
import { AccountsSave } from './accounts.ts'
import { PaymentsAuthorize, PaymentsCapture, PaymentsRelease } from './payments.ts'
import { SagaReply } from './saga.ts'

/** Every command, whoever owns it. Each has a queue of dead letters. */
export const commands: readonly Command[] = [
  PaymentsAuthorize,
  PaymentsCapture,
  PaymentsRelease,
  AccountsSave,
  SagaReply,
]
