import type { AskPaymentAgain } from '@platter/contracts'
import type { Handler } from '@platter/kit'
import type { Authorization, Command } from '#/domain/authorization.ts'
import type { Settle } from '#/settle.ts'
import type { Authorizations } from '#/store/authorizations.ts'
import type { PaymentBooks } from '#/store/payment-books.ts'

/** Makes the call again whose outcome is open; the saga learns of it when it asks. What is not open is left alone. */
export const askPaymentAgain =
  (
    authorizations: Pick<Authorizations, 'find'>,
    books: Pick<PaymentBooks, 'story'>,
    settle: Settle,
  ): Handler<typeof AskPaymentAgain> =>
  async ({ body: { orderApiKey } }) => {
    const open = (await books.story(orderApiKey))?.unknown
    const row = await authorizations.find(orderApiKey)
    if (!open || !row) return { found: false, known: false }
    const command = commandFor(row, open.call)
    return { found: true, known: command === null || (await settle(command, row)) !== null }
  }

/** The command that the call was made for; null when it is settled meanwhile. Nothing is captured that was not to be. */
function commandFor(row: Authorization, call: string): Command | null {
  if (row.releaseRequested) return { kind: 'release' }
  if (row.state === 'sent') return { kind: 'authorize', amount: row.amount, token: row.token }
  if (row.state === 'authorized' && call === 'capture') return { kind: 'capture', amount: row.amount }
  return null
}
