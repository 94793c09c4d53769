import { PaymentsHealth, type PlatformHealth } from '@platter/contracts'
import { clientAddress, orNull, readServiceHealth, type Handler, type internalCaller } from '@platter/kit'

type Deps = {
  development: boolean
  payments: ReturnType<typeof internalCaller>
} & Parameters<typeof readServiceHealth>[0]

/** Shorter than the deadline of the request, because an unavailable service is a finding, not an error. */
const WITHIN_MS = 6_000

export const platformHealth =
  ({ development, payments, ...reads }: Deps): Handler<typeof PlatformHealth> =>
  async ({ requestId, deadline, headers }) => {
    const [orders, other] = await Promise.all([
      readServiceHealth(reads),
      orNull(() => payments(PaymentsHealth, {}, { requestId, deadline }), WITHIN_MS),
    ])
    return {
      development,
      clientAddress: clientAddress(headers),
      orders,
      payments: other?.service ?? null,
      processor: other?.processor ?? null,
      redis: other?.redis ?? null,
    }
  }
