import { cardTimes } from '@platter/contracts'
import { amqpConfig, networkList, postgresConfig, replicaUrls, serviceConfig } from '@platter/kit'
import { z } from 'zod'
import { isDefaultLink } from '#/delivery/default-link.ts'
import { alertConfig, checkAlertConfig } from '#/operating/alerts/config.ts'

const ms = (fallback: number) => z.coerce.number().int().min(0).default(fallback)

export const Config = z
  .object({
    ...serviceConfig,
    ...postgresConfig,
    ...amqpConfig,
    DATABASE_DIRECT_URL: z
      .url()
      .optional()
      .describe(
        'PostgreSQL without a pooler, to build indexes. Empty: `DATABASE_URL`. A build needs its own session, which PgBouncer in transaction mode does not provide.',
      ),
    PAYMENTS_URL: replicaUrls('payments'),
    CARD_MINIMUM_CENTS: z.coerce
      .number()
      .int()
      .min(1)
      .default(50)
      .describe(
        'The minimum total of a card payment in cents: the minimum of the payment processor. The minimum of Stripe is 0.50 USD (docs.stripe.com/currencies).',
      ),
    // A removed card is detached at the processor only after all orders that may need it.
    SAGA_DEADLINE_MS: z.coerce
      .number()
      .int()
      .min(0)
      .max(cardTimes.longestSaga)
      .default(180_000)
      .describe(
        'A saga whose card is not authorized within this time is compensated; milliseconds. With `TRANSMIT_DEADLINE_MS` it is the time within which an order is decided: docs/interface.md promises 5 minutes.',
      ),
    TRANSMIT_DEADLINE_MS: ms(120_000).describe(
      'An order that its restaurant has not accepted within this time fails; milliseconds.',
    ),
    TAKE_DEADLINE_MS: ms(900_000).describe(
      'An order that its restaurant has not started on a console within this time is cancelled; milliseconds.',
    ),
    DEFAULT_RESTAURANT_LINK: z
      .string()
      .default('console')
      .refine(isDefaultLink, 'must be `console`, or the URL of a webhook with its secret as the password')
      .describe(
        'How orders reach restaurants without a link of their own: `console`, or the URL of a webhook with its secret as the password (`https://:whsec_…@example.org/orders`). Webhooks are for development only.',
      ),
    WEBHOOK_ALLOWED_NETWORKS: networkList.describe(
      'Networks with allowed webhooks in addition to public addresses, also over http: addresses or CIDR ranges, separated by commas. Empty: only https webhooks at public addresses.',
    ),
    ...alertConfig,
  })
  .superRefine(checkAlertConfig)
export type Config = z.output<typeof Config>
