import type { Bus } from '@platter/bus'
import { PaymentMoved } from '@platter/contracts'
import type { AuthorizationStore } from '#/store/authorizations.ts'

type Deps = { authorizations: Pick<AuthorizationStore, 'find'>; bus: Pick<Bus, 'publish'> }

/** Returns the function that notifies orders of a processor event about an order whose customer may be at the bank. */
export const processorEventNotifier =
  ({ authorizations, bus }: Deps) =>
  async (orderApiKey: string, event: string): Promise<void> => {
    const row = await authorizations.find(orderApiKey)
    if (row && 'authentication' in row && row.authentication)
      await bus.publish(PaymentMoved, { orderApiKey }, { requestId: event })
  }
