import type { Charge, FindCharges } from '@platter/contracts'
import type { Handler } from '@platter/kit'
import { successOf, type Processor } from '#/outside/processor.ts'
import type { PaymentRecordStore } from '#/store/payment-records.ts'

type Deps = { records: Pick<PaymentRecordStore, 'references'>; processor: Pick<Processor, 'find'> }

export const findCharges =
  ({ records, processor }: Deps): Handler<typeof FindCharges> =>
  async ({ body }) => {
    const references = await records.references(body.orderApiKeys)
    const charges = await Promise.all(
      references.map(async ({ reference, token }): Promise<Charge[]> => {
        const { found } = successOf(await processor.find({ reference, token }))
        return found.map((one) => ({ ...one, reference }))
      }),
    )
    return { charges: charges.flat() }
  }
