import type { PaymentsRefundsSet } from '@platter/contracts'
import type { ChargeMirrorStore } from '#/store/charge-mirrors.ts'

type Deps = { mirrors: Pick<ChargeMirrorStore, 'confirm'> }

/** Orders has stored a version of the picture, which is not sent again. */
export const refundsSet =
  ({ mirrors }: Deps) =>
  ({ orderApiKey, version }: PaymentsRefundsSet): Promise<void> =>
    mirrors.confirm(orderApiKey, version)
