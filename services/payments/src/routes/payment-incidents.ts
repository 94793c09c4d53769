import { formatAmount, isoTime, type PaymentIncidents } from '@platter/contracts'
import type { Handler } from '@platter/kit'
import type { ChargeMirrorStore } from '#/store/charge-mirrors.ts'
import type { PaymentRecordStore } from '#/store/payment-records.ts'

type Deps = {
  records: Pick<PaymentRecordStore, 'unknown'>
  mirrors: Pick<ChargeMirrorStore, 'missingRefunds' | 'openDisputes'>
}

/** A payment whose outcome is unknown for longer is an incident. */
const UNKNOWN_AFTER_MS = 300_000

export function paymentIncidents({ records, mirrors }: Deps): Handler<typeof PaymentIncidents> {
  const read = {
    unknown: () => records.unknown(UNKNOWN_AFTER_MS),
    dispute: async () =>
      (await mirrors.openDisputes()).map(({ amount, reason, respondBy, ...row }) => {
        const deadline = respondBy === null ? 'No response is possible' : `Respond by ${isoTime(respondBy)}`
        return {
          ...row,
          what: `dispute of ${formatAmount(amount)}`,
          reason: `The bank disputes the charge: ${reason}. ${deadline}.`,
        }
      }),
    missing: async () =>
      (await mirrors.missingRefunds()).map(({ amount, ...row }) => ({
        ...row,
        what: `refund of ${formatAmount(amount)}`,
        reason:
          'The order is cancelled, and the customer does not have this amount: its refund failed, its dispute was won later, or a lost dispute left it.',
        count: 0,
      })),
  }
  return async ({ body: { kind } }) => ({ incidents: await read[kind]() })
}
