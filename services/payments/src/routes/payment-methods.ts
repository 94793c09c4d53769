import type { PaymentMethods } from '@platter/contracts'
import type { Handler } from '@platter/kit'
import type { ProcessorConfig } from '#/config.ts'

/** Constant while the process runs, so it needs neither the database nor the processor. */
export const paymentMethods =
  (chosen: ProcessorConfig, acceptsRawCards: boolean): Handler<typeof PaymentMethods> =>
  async () => ({
    processor: chosen.kind,
    publishableKey: chosen.kind === 'stripe' ? chosen.publishableKey : null,
    rawCards: acceptsRawCards,
    wallets: [],
    ...(chosen.kind === 'development' && {
      tokenUrl: `${chosen.publicUrl.replace(/\/$/, '')}/client-tokens`,
    }),
  })
