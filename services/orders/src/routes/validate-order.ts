import type { Bus } from '@platter/bus'
import type { Cents, ValidateOrder } from '@platter/contracts'
import type { Handler, Intake, UnknownField } from '@platter/kit'
import { checkOrder } from '#/check-order.ts'
import { orderRecord } from '#/domain/order.ts'

type Needs = { bus: Bus; cardMinimum: Cents; intake: Intake }

/** Exactly the two read-only steps of send-order: nothing is stored, charged or transmitted. */
export const validateOrder =
  ({ intake, ...needs }: Needs): Handler<typeof ValidateOrder> =>
  async ({ body, principal: { applicationId, mode }, requestId, deadline, unknownFields }) => {
    const caller = { applicationId, mode, requestId, deadline, now: Date.now() }
    const inHand = intake.enter(applicationId)
    try {
      const { order } = await checkOrder(needs, body, caller)
      return { ...orderRecord(order), warnings: unknownFields.map(warningOf) }
    } finally {
      inHand.over()
    }
  }

const warningOf = ({ name, pointer, meant }: UnknownField) => ({
  pointer,
  code: 'unknown-field' as const,
  detail: `The field ${name} is unknown and is ignored.${meant ? ` It may be meant for ${meant.name}.` : ''}`,
})
