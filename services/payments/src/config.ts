import { amqpConfig, postgresConfig, serviceConfig } from '@platter/kit'
import { z } from 'zod'

/** Our cents are hundredths, and Stripe counts in the smallest unit: a yen or a dinar would be something else. */
const hasCents = (currency: string): boolean =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits === 2

export const Config = z.object({
  ...serviceConfig,
  ...postgresConfig,
  ...amqpConfig,
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
    .describe('What Stripe is asked to charge in: ISO 4217 in lower case, a currency with two decimals.'),
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
