import type { RetryPayment } from '@platter/contracts'
import type { Handler } from '@platter/kit'
import type { ExecuteCommand } from '#/command-executor.ts'
import type { Authorization, Command } from '#/domain/authorization.ts'
import type { AuthorizationStore } from '#/store/authorizations.ts'
import type { PaymentRecordStore } from '#/store/payment-records.ts'

type Deps = {
  authorizations: Pick<AuthorizationStore, 'find'>
  records: Pick<PaymentRecordStore, 'story'>
  execute: ExecuteCommand
}

/** Repeats the call whose outcome is unknown. The saga receives the outcome when it repeats its command. */
export const retryPayment =
  ({ authorizations, records, execute }: Deps): Handler<typeof RetryPayment> =>
  async ({ body: { orderApiKey } }) => {
    const unknown = (await records.story(orderApiKey))?.unknown
    const row = await authorizations.find(orderApiKey)
    if (!unknown || !row) return { found: false, known: false }
    const command = commandFor(row, unknown.call)
    return { found: true, known: command === null || (await execute(command, row)) !== null }
  }

/** Returns the command of the call; null if its outcome is known by now. It never captures without a capture command. */
function commandFor(row: Authorization, call: string): Command | null {
  if (row.releaseRequested) return { kind: 'release' }
  if (row.state === 'sent' || row.state === 'challenged')
    return { kind: 'authorize', amount: row.amount, token: row.token }
  if (row.state === 'authorized' && call === 'capture') return { kind: 'capture', amount: row.amount }
  return null
}
