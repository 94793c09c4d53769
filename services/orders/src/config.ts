import { amqpConfig, networkList, postgresConfig, replicaUrls, serviceConfig } from '@platter/kit'
import { z } from 'zod'
import { isDefaultLink } from '#/delivery/default-link.ts'

const ms = (fallback: number) => z.coerce.number().int().min(0).default(fallback)

export const Config = z.object({
  ...serviceConfig,
  ...postgresConfig,
  ...amqpConfig,
  PAYMENTS_URL: replicaUrls('payments'),
  CARD_MINIMUM_CENTS: z.coerce
    .number()
    .int()
    .min(1)
    .default(50)
    .describe(
      'The smallest total that is charged to a card, in cents: what the payment processor takes at least. Stripe takes 0.50 USD (docs.stripe.com/currencies).',
    ),
  SAGA_DEADLINE_MS: ms(300_000).describe(
    'A saga whose payment is not settled by then is compensated; milliseconds.',
  ),
  TRANSMIT_DEADLINE_MS: ms(120_000).describe(
    'A restaurant that has not taken an order by then does not get it; milliseconds.',
  ),
  TAKE_DEADLINE_MS: ms(900_000).describe(
    'An order that a restaurant with a console has not begun with by then is cancelled; milliseconds.',
  ),
  UNKNOWN_AFTER_MS: ms(300_000).describe(
    'A payment whose outcome is unknown for longer is an incident; milliseconds.',
  ),
  DEFAULT_RESTAURANT_LINK: z
    .string()
    .default('console')
    .refine(isDefaultLink, 'is neither `console` nor the URL of a webhook with its secret')
    .describe(
      'How orders reach a restaurant whose link was never set: `console`, or the URL of a webhook for all of them with its secret as the password (`https://:whsec_…@example.org/orders`).',
    ),
  WEBHOOK_ALLOWED_NETWORKS: networkList.describe(
    "Networks besides the public ones that a restaurant's webhook may be in, by http as well: addresses or CIDR ranges, separated by commas; none when empty, and then it is https to a public address or nothing.",
  ),
})
export type Config = z.output<typeof Config>
