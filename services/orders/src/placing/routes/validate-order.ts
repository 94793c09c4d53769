import type { Bus } from '@platter/bus'
import type { Cents, ValidateOrder } from '@platter/contracts'
import type { ConcurrencyLimit, Handler, UnknownField } from '@platter/kit'
import { checkOrder } from '#/placing/check-order.ts'
import { orderRecord } from '#/domain/order.ts'

type Deps = { bus: Bus; cardMinimum: Cents; limit: ConcurrencyLimit }

/** Makes the checks of send-order; nothing is stored, charged or transmitted. */
export const validateOrder =
  ({ limit, ...deps }: Deps): Handler<typeof ValidateOrder> =>
  async ({ body, principal: { applicationId, mode }, requestId, deadline, unknownFields }) => {
    const caller = { applicationId, mode, requestId, deadline, now: Date.now() }
    const permit = limit.acquire(applicationId)
    try {
      const { order } = await checkOrder(deps, body, caller)
      return { ...orderRecord(order), warnings: unknownFields.map(warningOf) }
    } finally {
      permit.release()
    }
  }

const warningOf = ({ name, pointer, meant }: UnknownField) => ({
  pointer,
  code: 'unknown-field' as const,
  detail: `The field ${name} is unknown and is ignored.${meant ? ` It may be meant for ${meant.name}.` : ''}`,
})
