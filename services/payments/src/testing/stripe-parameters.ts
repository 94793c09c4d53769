import type { Stripe } from 'stripe'
import { z } from 'zod'

/*
 * The parameters of the used endpoints, with the bounds of docs.stripe.com/api. The compiler checks each name against the SDK's
 * types, which Stripe generates from its OpenAPI document of the same version.
 */

/** Names of `Params` with the schemas of their values in a form: text, lists and objects of text. */
type Of<Params> = { [Name in keyof Params]?: z.ZodType }

const integer = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,10}$/, 'Invalid integer')
    .transform(Number)
    .pipe(z.int().min(min).max(max))
const boolean = z.enum(['true', 'false']).transform((text) => text === 'true')
const name = (prefix: string) => z.string().regex(new RegExp(`^${prefix}_\\w+$`))
const currency = z.string().regex(/^[a-z]{3}$/, 'Invalid currency')
const metadata = z.record(z.string().max(40), z.string().max(500))
/** docs.stripe.com/get-started/account/statement-descriptors; ten characters fit behind each prefix. */
const statementSuffix = z
  .string()
  .max(10)
  .regex(/^(?=.*[A-Za-z])[^<>\\'"*\u0080-\uFFFF]+$/)
const expand = z.array(z.enum(['latest_charge', 'data.latest_charge']))

const numberCard = z.strictObject({
  number: z.string().regex(/^\d{12,19}$/),
  exp_month: integer(1, 12),
  exp_year: integer(2000, 2099),
  cvc: z
    .string()
    .regex(/^\d{3,4}$/)
    .optional(),
} satisfies Of<Stripe.PaymentMethodCreateParams.Card>)
const tokenCard = z.strictObject({
  token: name('tok'),
} satisfies Of<Stripe.PaymentMethodCreateParams.Card>)

const billing = z.strictObject({
  name: z.string().max(5_000).optional(),
  address: z
    .strictObject({
      line1: z.string().max(5_000).optional(),
      postal_code: z.string().max(5_000).optional(),
    } satisfies Of<Stripe.AddressParam>)
    .optional(),
} satisfies Of<Stripe.PaymentMethodCreateParams.BillingDetails>)

export const PARAMETERS = {
  tokenize: z.strictObject({
    type: z.literal('card'),
    billing_details: billing.optional(),
    card: z
      .unknown()
      .transform((value, context): z.output<typeof numberCard> | z.output<typeof tokenCard> => {
        const isToken = typeof value === 'object' && value !== null && 'token' in value
        const parsed = (isToken ? tokenCard : numberCard).safeParse(value)
        if (parsed.success) return parsed.data
        for (const issue of parsed.error.issues) context.issues.push({ ...issue, input: value } as never)
        return z.NEVER
      }),
  } satisfies Of<Stripe.PaymentMethodCreateParams>),
  describe: z.strictObject({
    billing_details: billing.optional(),
  } satisfies Of<Stripe.PaymentMethodUpdateParams>),
  detach: z.strictObject({} satisfies Of<Stripe.PaymentMethodDetachParams>),
  method: z.strictObject({} satisfies Of<Stripe.PaymentMethodRetrieveParams>),
  attach: z.strictObject({
    payment_method: name('pm'),
  } satisfies Of<Stripe.CustomerCreateParams>),
  authorize: z.strictObject({
    // "The amount value supports up to eight digits". StripeState refuses an amount below $0.50: `amount_too_small`.
    amount: integer(1, 99_999_999),
    currency,
    customer: name('cus').optional(),
    payment_method: name('pm'),
    allowed_payment_method_types: z.array(z.literal('card')).optional(),
    capture_method: z.literal('manual'),
    confirm: boolean.pipe(z.literal(true)),
    error_on_requires_action: boolean.optional(),
    return_url: z.url().optional(),
    setup_future_usage: z.enum(['on_session', 'off_session']).optional(),
    statement_descriptor_suffix: statementSuffix.optional(),
    metadata: metadata.optional(),
  } satisfies Of<Stripe.PaymentIntentCreateParams>),
  capture: z.strictObject({
    amount_to_capture: integer(1, 99_999_999).optional(),
  } satisfies Of<Stripe.PaymentIntentCaptureParams>),
  void: z.strictObject({} satisfies Of<Stripe.PaymentIntentCancelParams>),
  refund: z.strictObject({
    payment_intent: name('pi'),
    amount: integer(1, 99_999_999).optional(),
    metadata: metadata.optional(),
  } satisfies Of<Stripe.RefundCreateParams>),
  refunds: z.strictObject({
    payment_intent: name('pi'),
    limit: integer(1, 100).optional(),
    starting_after: name('re').optional(),
  } satisfies Of<Stripe.RefundListParams>),
  disputes: z.strictObject({
    payment_intent: name('pi'),
    limit: integer(1, 100).optional(),
    starting_after: name('dp').optional(),
  } satisfies Of<Stripe.DisputeListParams>),
  balanceTransactions: z.strictObject({
    created: z.strictObject({ gte: integer(0, 9_999_999_999), lt: integer(0, 9_999_999_999) }).optional(),
    limit: integer(1, 100).optional(),
    starting_after: name('txn').optional(),
    expand: z.array(z.literal('data.source')).optional(),
  } satisfies Of<Stripe.BalanceTransactionListParams>),
  read: z.strictObject({ expand: expand.optional() } satisfies Of<Stripe.PaymentIntentRetrieveParams>),
  find: z.strictObject({
    customer: name('cus').optional(),
    created: z.strictObject({ gte: integer(0, 9_999_999_999), lt: integer(0, 9_999_999_999) }).optional(),
    limit: integer(1, 100).optional(),
    starting_after: name('pi').optional(),
    expand: expand.optional(),
  } satisfies Of<Stripe.PaymentIntentListParams>),
} as const

type Form = { [name: string]: Form | string }

/** `card[number]=4242&expand[0]=latest_charge` as `{ card: { number: '4242' }, expand: ['latest_charge'] }`. */
export function readForm(text: string): unknown {
  const form: Form = {}
  for (const [path, value] of new URLSearchParams(text)) {
    const steps = path.replaceAll(']', '').split('[')
    const last = steps.pop() ?? ''
    let at = form
    for (const step of steps) {
      const inner = at[step]
      at = at[step] = typeof inner === 'object' ? inner : {}
    }
    at[last] = value
  }
  return withLists(form)
}

function withLists(value: Form | string): unknown {
  if (typeof value === 'string') return value
  const entries = Object.entries(value).map(([step, inner]) => [step, withLists(inner)] as const)
  const isList = entries.length > 0 && entries.every(([step], index) => step === String(index))
  return isList ? entries.map(([, inner]) => inner) : Object.fromEntries(entries)
}

export type Refusal = {
  status: number
  type: string
  code?: string
  decline_code?: string
  message: string
  param?: string
  payment_intent?: unknown
}

const inBrackets = (path: PropertyKey[]) =>
  path.map((step, index) => (index === 0 ? String(step) : `[${String(step)}]`)).join('')

const fault = (code: string, message: string, param: string): Refusal => ({
  status: 400,
  type: 'invalid_request_error',
  code,
  message,
  param,
})

/** Returns Stripe's error for invalid parameters: one at a time, in its wording. */
export function parameterFault(error: z.ZodError): Refusal {
  const [issue] = error.issues
  if (issue?.code === 'unrecognized_keys') {
    const param = inBrackets([...issue.path, ...issue.keys.slice(0, 1)])
    return fault('parameter_unknown', `Received unknown parameter: ${param}`, param)
  }
  const param = inBrackets(issue?.path ?? [])
  const isMissing = issue?.code === 'invalid_type' && issue.message.endsWith('received undefined')
  return isMissing
    ? fault('parameter_missing', `Missing required param: ${param}.`, param)
    : fault('parameter_invalid', `Invalid ${param}`, param)
}
