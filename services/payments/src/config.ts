import { amqpConfig, postgresConfig, serviceConfig } from '@platter/kit'
import { z } from 'zod'

const count = z.coerce.number().int().min(1)

/** Our cents are hundredths, and Stripe counts in the smallest unit: a yen or a dinar would be something else. */
const hasCents = (currency: string): boolean =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits === 2

export const Config = z.object({
  ...serviceConfig,
  ...postgresConfig,
  ...amqpConfig,
  REDIS_URL: z
    .url()
    .describe('Redis, for the count of cards that all replicas share; without it each counts for itself.'),
  CARDS_PER_USER: count
    .default(5)
    .describe('New cards that one user may show in CARDS_SECONDS; past it the answer is 429.'),
  DECLINES_PER_CARD: count
    .default(3)
    .describe(
      'How often one card may be declined in CARDS_SECONDS before it is not shown to the processor any more.',
    ),
  // A household that mistypes; not a list of stolen numbers.
  DECLINES_PER_ADDRESS: count
    .default(20)
    .describe(
      'The same for all new cards from one client address (of IPv6 its /64). To be raised where one server sends the orders of all users of an application.',
    ),
  // What 5,000 new cards have when nobody means ill, at one in ten.
  DECLINES_PER_APPLICATION: count
    .default(500)
    .describe(
      'The same for all new cards of one application. To be raised for more than some 5,000 orders by new cards in that time.',
    ),
  CARDS_SECONDS: count
    .max(86_400)
    .default(3_600)
    .describe('Seconds of the window in which cards and declines are counted.'),
  PROCESSOR: z
    .enum(['development', 'stripe'])
    .default('development')
    .describe('Which payment processor: the development one, which moves no money, or Stripe.'),
  PROCESSOR_URL: z
    .url()
    .optional()
    .describe('The development payment processor: base URL. Needed with PROCESSOR=development.'),
  STRIPE_SECRET_KEY: z
    .string()
    .regex(/^(sk|rk)_\w+$/, 'is no secret key of Stripe: sk_live_…, sk_test_…, rk_…')
    .optional()
    .describe(
      "Stripe's secret key. Needed with PROCESSOR=stripe, for an account that may send card numbers.",
    ),
  STRIPE_WEBHOOK_SECRET: z
    .string()
    .regex(/^whsec_\S+$/, 'is no signing secret of a webhook endpoint: whsec_…')
    .optional()
    .describe(
      'Signing secret of the webhook endpoint that Stripe has for /webhooks/stripe. Needed with PROCESSOR=stripe.',
    ),
  STRIPE_URL: z
    .url()
    .default('https://api.stripe.com')
    .describe('Stripe: base URL; another one for tests only.'),
  CURRENCY: z
    .string()
    .regex(/^[a-z]{3}$/, 'is no ISO 4217 code in lower case')
    .refine(hasCents, 'is no currency with two decimals')
    .default('usd')
    .describe('Currency of charges at Stripe: ISO 4217 in lower case, with two decimals.'),
})
export type Config = z.output<typeof Config>

export type Processing =
  | { kind: 'development'; url: string }
  | { kind: 'stripe'; secretKey: string; webhookSecret: string; url: string; currency: string }

/** The processor that is chosen, with what it needs. Throws when something of that is not configured. */
export function processingOf(config: Config): Processing {
  const { PROCESSOR, PROCESSOR_URL, STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET } = config
  if (PROCESSOR === 'development') {
    if (PROCESSOR_URL === undefined) throw lacking(PROCESSOR, { PROCESSOR_URL })
    return { kind: PROCESSOR, url: PROCESSOR_URL }
  }
  if (STRIPE_SECRET_KEY === undefined || STRIPE_WEBHOOK_SECRET === undefined)
    throw lacking(PROCESSOR, { STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET })
  return {
    kind: PROCESSOR,
    secretKey: STRIPE_SECRET_KEY,
    webhookSecret: STRIPE_WEBHOOK_SECRET,
    url: config.STRIPE_URL,
    currency: config.CURRENCY,
  }
}

function lacking(processor: string, needed: Record<string, string | undefined>): Error {
  const names = Object.keys(needed).filter((name) => needed[name] === undefined)
  return new Error(
    `The configuration cannot be used:\n  PROCESSOR=${processor} needs ${names.join(' and ')}.`,
  )
}
