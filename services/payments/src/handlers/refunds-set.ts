import type { PaymentsRefundsSet } from '@platter/contracts'
import type { ChargeMirrorStore } from '#/store/charge-mirrors.ts'

type Deps = { mirrors: Pick<ChargeMirrorStore, 'confirm'> }

/** Handles the confirmation of orders for a version of a mirror, which is then not published again. */
export const refundsSet =
  ({ mirrors }: Deps) =>
  ({ orderApiKey, version }: PaymentsRefundsSet): Promise<void> =>
    mirrors.confirm(orderApiKey, version)
