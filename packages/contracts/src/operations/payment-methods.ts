import { z } from 'zod'
import { operation } from '#/operation.ts'

export const PaymentMethods = operation({
  name: 'payment-methods',
  summary: 'Read the payment methods for cards',
  description: `The data that a client needs to accept a card without sending its number to this platform.

With \`processor\` \`stripe\`, initialize Stripe's own library with \`publishableKey\`, and send the token or payment method that it returns as \`card.processorToken\`. With \`development\`, send \`POST\` with \`cardNumber\`, \`cvv\`, \`expirationMonth\` and \`expirationYear\` to \`tokenUrl\`; the response has the \`token\`.`,
  method: 'GET',
  path: '/publicapi/v1/payment-methods',
  owner: 'payments',
  admission: 'read',
  response: z.object({
    processor: z.string().describe('`stripe` or `development`; there may be more.'),
    publishableKey: z
      .string()
      .nullable()
      .describe("The public key for the processor's own library. Null when none is configured."),
    rawCards: z
      .boolean()
      .describe(
        'Whether `cardNumber` and `cvv` are accepted. Otherwise the response is 422 `raw-card-not-accepted`.',
      ),
    wallets: z
      .array(z.string())
      .describe('Wallets that the operator has enabled. The token of a wallet is a `processorToken` too.'),
    tokenUrl: z.url().optional().describe('The token endpoint of the development payment processor.'),
  }),
  returns: 'The payment methods.',
  shared: true,
  examples: {
    response: {
      processor: 'stripe',
      publishableKey: 'pk_live_example_of_a_publishable_key',
      rawCards: false,
      wallets: [],
    },
  },
})
