import {
  atLeastOne,
  amqpConfig,
  cardConfig,
  postgresConfig,
  serviceConfig,
  UnusableConfiguration,
} from '@platter/kit'
import { z } from 'zod'

const signingSecret = z
  .string()
  .regex(/^whsec_\S+$/, 'is not a signing secret of a webhook endpoint: whsec_…')

/** Amounts here are hundredths. Stripe counts in the smallest unit of the currency: a yen has 0 decimals, a dinar has 3. */
const hasCents = (currency: string): boolean =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits === 2

export const Config = z.object({
  ...serviceConfig,
  ...postgresConfig,
  ...amqpConfig,
  REDIS_URL: z
    .url()
    .describe(
      'Redis, for the counts of cards that all replicas share. While it is unavailable, each replica counts alone.',
    ),
  CARDS_PER_USER: atLeastOne
    .default(5)
    .describe('New cards that one user may use within CARDS_SECONDS. Further ones are refused with 429.'),
  DECLINES_PER_CARD: atLeastOne
    .default(3)
    .describe(
      'Declines of one card within CARDS_SECONDS. Afterwards it is refused with 429 and not sent to the processor.',
    ),
  // Enough for the typing errors of a household, and too few for a list of stolen numbers.
  DECLINES_PER_ADDRESS: atLeastOne
    .default(20)
    .describe(
      'The same limit for all new cards from one client address (IPv6: its /64). Increase it if one server sends the orders of all users of an application.',
    ),
  // 5,000 legitimate new cards at a decline rate of one in ten.
  DECLINES_PER_APPLICATION: atLeastOne
    .default(500)
    .describe(
      'The same limit for all new cards of one application. Increase it for more than 5,000 orders with new cards in that time.',
    ),
  CARDS_SECONDS: atLeastOne
    .max(86_400)
    .default(3_600)
    .describe('Length of the window in which cards and declines are counted, in seconds.'),
  ...cardConfig,
  PROCESSOR_URL: z
    .url()
    .optional()
    .describe('Base URL of the development payment processor. Required with PROCESSOR=development.'),
  PROCESSOR_PUBLIC_URL: z
    .url()
    .optional()
    .describe(
      'Base URL at which clients reach the development payment processor, for the tokenUrl of payment-methods. By default PROCESSOR_URL.',
    ),
  PROCESSOR_WEBHOOK_SECRET: signingSecret
    .optional()
    .describe(
      'Signing secret of the events of the development payment processor. Without it, /webhooks/processor does not exist.',
    ),
  STRIPE_SECRET_KEY: z
    .string()
    .regex(/^(sk|rk)_\w+$/, 'is not a secret key of Stripe: sk_live_…, sk_test_…, rk_…')
    .optional()
    .describe(
      "Stripe's secret key. Required with PROCESSOR=stripe. A restricted key (rk_…) needs write access to Customers, PaymentMethods, PaymentIntents and Refunds, and read access to Charges, Disputes, Payouts and Balance transaction sources. With RAW_CARDS=accept the account needs permission to send card numbers.",
    ),
  STRIPE_PUBLISHABLE_KEY: z
    .string()
    .regex(/^pk_\w+$/, 'is not a publishable key of Stripe: pk_live_…, pk_test_…')
    .optional()
    .describe("Stripe's publishable key, which clients read from payment-methods to create tokens."),
  STRIPE_WEBHOOK_SECRET: signingSecret
    .optional()
    .describe(
      "Signing secret of Stripe's webhook endpoint /webhooks/stripe. Required with PROCESSOR=stripe.",
    ),
  STRIPE_RETURN_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      "Page to which Stripe redirects a customer from the bank if the app has no returnUrl: /payment-return of the gateway's public address. Without it, such a card is declined.",
    ),
  STRIPE_URL: z
    .url()
    .default('https://api.stripe.com')
    .describe("Base URL of Stripe's API. Changed only by tests."),
  CURRENCY: z
    .string()
    .regex(/^[a-z]{3}$/, 'is not an ISO 4217 code in lower case')
    .refine(hasCents, 'is not a currency with two decimals')
    .default('usd')
    .describe('Currency of charges at Stripe: an ISO 4217 code in lower case, with two decimals.'),
})
export type Config = z.output<typeof Config>

export type ProcessorConfig = ReturnType<typeof processorConfig>

/** Returns the settings of the chosen processor; `test`: whether it charges no card. Throws if one of them is missing. */
export function processorConfig(config: Config) {
  const { PROCESSOR, PROCESSOR_URL, STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET } = config
  if (PROCESSOR === 'none') return { kind: PROCESSOR, test: false }
  if (PROCESSOR === 'development') {
    if (PROCESSOR_URL === undefined) throw incompleteConfiguration(PROCESSOR, { PROCESSOR_URL })
    return {
      kind: PROCESSOR,
      url: PROCESSOR_URL,
      publicUrl: config.PROCESSOR_PUBLIC_URL ?? PROCESSOR_URL,
      webhookSecret: config.PROCESSOR_WEBHOOK_SECRET ?? null,
      test: true,
    }
  }
  if (STRIPE_SECRET_KEY === undefined || STRIPE_WEBHOOK_SECRET === undefined)
    throw incompleteConfiguration(PROCESSOR, { STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET })
  return {
    kind: PROCESSOR,
    secretKey: STRIPE_SECRET_KEY,
    publishableKey: config.STRIPE_PUBLISHABLE_KEY ?? null,
    webhookSecret: STRIPE_WEBHOOK_SECRET,
    returnUrl: config.STRIPE_RETURN_URL ?? null,
    url: config.STRIPE_URL,
    currency: config.CURRENCY,
    test: /^(sk|rk)_test_/.test(STRIPE_SECRET_KEY),
  }
}

function incompleteConfiguration(processor: string, required: Record<string, string | undefined>): Error {
  const names = Object.keys(required).filter((name) => required[name] === undefined)
  return new UnusableConfiguration([`PROCESSOR=${processor} requires ${names.join(' and ')}.`])
}
