import type { Authentication, Charge } from '@platter/contracts'
import type {
  Challenge,
  Effect,
  FoundCharge,
  ProcessorResult,
  ReportedCharge,
} from '#/domain/processor-result.ts'
import type {
  CallOf,
  Card,
  Cardholder,
  Period,
  Processor,
  ProcessorToken,
  RefundPart,
} from '#/outside/processor.ts'
import { readBalanceTransactions, readCharge, unlessAbsent } from '#/outside/stripe-reads.ts'
import { refundPart } from '#/outside/stripe-refunds.ts'
import { cancelChallenge, checkChallenge, pageOf } from '#/outside/stripe-challenges.ts'
import { StripeClient, type ClientSettings } from '#/outside/stripe-client.ts'
import { detachCard, readCard } from '#/outside/stripe-saved-cards.ts'
import { tokenize } from '#/outside/stripe-tokens.ts'
import {
  AUTHENTICATION_REQUIRED,
  cardOf,
  challengeOf,
  differenceOf,
  effectOf,
  Failed,
  failedOf,
  Intent,
  noSuchToken,
  ORDER,
  Refund,
  refundFailed,
  reportOf,
  resultOf,
  unexpected,
} from '#/outside/stripe-responses.ts'

/** Without a key the SDK generates one. */
type Options = { idempotencyKey?: string }

export type StripeSettings = ClientSettings & {
  /** ISO 4217 in lower case, with two decimals. */
  currency: string
  /** The page to which the bank redirects the customer of a client without its own page. */
  returnUrl?: string | null
}

/**
 * Stripe. An authorization is a PaymentIntent with immediate confirmation and manual capture.
 *
 * A token is a PaymentMethod with its Customer: without a Customer it could be used only once. There is one Customer per card,
 * so the list of its intents is short.
 */
export class StripeProcessor implements Processor {
  readonly #client: StripeClient
  readonly #currency: string
  readonly #returnUrl: string | null

  constructor({ currency, returnUrl = null, ...client }: StripeSettings) {
    this.#client = new StripeClient(client)
    this.#currency = currency
    this.#returnUrl = returnUrl
  }

  tokenize(card: Card | ProcessorToken, holder?: Cardholder) {
    return resultOf(() => tokenize(this.#client, card, holder))
  }

  async authorize(call: CallOf<'authorize'>): Promise<ProcessorResult<Effect> | Challenge> {
    const card = cardOf(call.token)
    if (!card) return noSuchToken
    const { idempotencyKey, reference, amount, authentication, statementSuffix, savesCard } = call
    const page = pageOf(authentication, this.#returnUrl)
    const parameters = {
      ...card,
      amount,
      currency: this.#currency,
      allowed_payment_method_types: ['card' as const],
      capture_method: 'manual' as const,
      confirm: true,
      // Without a return page, Stripe declines a card that requires authentication.
      ...(page === null ? { error_on_requires_action: true } : { return_url: page }),
      metadata: { [ORDER]: reference },
      // The customer is present at each charge, so a charge of a saved card is never `off_session`.
      ...(savesCard && { setup_future_usage: 'on_session' as const }),
      ...(statementSuffix !== undefined && { statement_descriptor_suffix: statementSuffix }),
    }
    const created = await this.#client
      .send(Intent, (stripe) => stripe.paymentIntents.create(parameters, { idempotencyKey }))
      .catch(failedOf)
    if (created instanceof Failed) return resultOf(() => this.#notAuthorized(created, call))
    const { id, status, amount_capturable: authorized } = created
    if (status === 'requires_action') return this.#challenge(created, authentication)
    if (status !== 'requires_capture') return unexpected(`a new intent is ${status}`)
    const named = created.metadata[ORDER] ?? 'none'
    const differs = named === reference ? {} : { differs: `the processor has it for order ${named}` }
    return { kind: 'yes', id, amount: authorized, ...differs, ...differenceOf(created, this.#currency) }
  }

  check({ id, authentication }: CallOf<'check'>): Promise<ProcessorResult<FoundCharge> | Challenge> {
    const page = pageOf(authentication, this.#returnUrl)
    return resultOf(() => checkChallenge(this.#client, { id, page, currency: this.#currency }))
  }

  capture({ id, amount, idempotencyKey }: CallOf<'capture'>): Promise<ProcessorResult<Effect>> {
    return this.#repeatable({ id, idempotencyKey, to: 'captured' }, async (options) => {
      const captured = await this.#client.send(Intent, (stripe) =>
        stripe.paymentIntents.capture(id, { amount_to_capture: amount }, options),
      )
      return this.#reached(id, 'succeeded', captured)
    })
  }

  void({ id, idempotencyKey }: CallOf<'void'>): Promise<ProcessorResult<Effect>> {
    return this.#repeatable({ id, idempotencyKey, to: 'voided' }, async (options) => {
      const cancelled = await this.#client.send(Intent, (stripe) =>
        stripe.paymentIntents.cancel(id, {}, options),
      )
      return this.#reached(id, 'canceled', cancelled)
    })
  }

  refund({ id, amount, idempotencyKey }: CallOf<'refund'>): Promise<ProcessorResult<Effect>> {
    return this.#repeatable({ id, idempotencyKey, to: 'refunded' }, async (options) => {
      const created = await this.#client.send(Refund, (stripe) =>
        stripe.refunds.create({ payment_intent: id, amount }, options),
      )
      const { status, amount: refunded, payment_intent: intent } = created
      if (status === 'failed' || status === 'canceled') throw new Failed(refundFailed, { isReplayed: true })
      // If a pending refund fails later, the intent counts as captured again.
      const isRefunded = (status === 'succeeded' || status === 'pending') && intent === id
      if (!isRefunded) throw new Failed(unexpected(`a refund is ${status}`))
      return { id, amount: refunded, ...differenceOf(created, this.#currency) }
    })
  }

  readonly card = ({ token }: { token: string }) => resultOf(() => readCard(this.#client, token))
  readonly detach = ({ token }: { token: string }) => resultOf(() => detachCard(this.#client, token))
  readonly refundPart = (call: RefundPart) => resultOf(() => refundPart(this.#client, call))
  readonly charge = (id: string) => resultOf(() => readCharge(this.#client, id))
  readonly balanceTransactions = (period: Period) =>
    resultOf(() => readBalanceTransactions(this.#client, period))

  /**
   * Filters the list of the card's intents by the order in their metadata. A list includes the latest writes; Stripe's search may
   * lag by an hour (docs.stripe.com/search). For the card of another account, or of the other mode, Stripe has no Customer.
   */
  find(call: CallOf<'find'>): Promise<ProcessorResult<{ found: FoundCharge[] }>> {
    return resultOf(async () => {
      const reports = this.#reportsOf((await this.#intents(call).catch(unlessAbsent)) ?? [])
      return { kind: 'yes', found: reports.filter((one) => one.status !== 'declined') }
    })
  }

  /**
   * Lists all intents with an order in their metadata, newest first, because the account may also have other sales. Twenty-five
   * with their charges are below RESPONSE_BYTES. The SDK's pagination is not used, because each response is validated.
   */
  list({ from, to, after }: Period) {
    const query = { created: { gte: from, lt: to }, limit: 25, expand: ['data.latest_charge'] }
    return resultOf(async () => {
      const page = await this.#client.page(Intent, after, (stripe, position) =>
        stripe.paymentIntents.list({ ...query, ...position }),
      )
      const charges = page.items.flatMap((intent) => this.#charge(intent) ?? [])
      return { kind: 'yes' as const, charges, after: page.after }
    })
  }

  close(): Promise<void> {
    return this.#client.close()
  }

  /** Returns the challenge of an intent that awaits its customer. Without one that a client can complete, cancels the intent. */
  async #challenge(intent: Intent, authentication: Authentication | undefined) {
    const page = pageOf(authentication, this.#returnUrl)
    return (authentication && challengeOf(intent, page)) || cancelChallenge(this.#client, intent.id)
  }

  /** Returns the result of a failed create: a decline, an authentication to cancel, or an outcome to look up. */
  async #notAuthorized(
    created: Failed,
    call: CallOf<'authorize'>,
  ): Promise<ProcessorResult<Effect> | Challenge> {
    const { result, intent, isToBeLookedUp } = created
    const requiresAuthentication = result.kind === 'no' && result.declineCode === AUTHENTICATION_REQUIRED
    if (requiresAuthentication && intent) return cancelChallenge(this.#client, intent.id)
    if (!isToBeLookedUp) return result
    const intents = await this.#intents(call)
    const challenged = intents.find(({ status }) => status === 'requires_action')
    if (challenged) return this.#challenge(challenged, call.authentication)
    const reports = this.#reportsOf(intents)
    const one = reports.find(({ status }) => status !== 'declined') ?? reports[0]
    // The intent may still appear later.
    if (!one) return result
    if (one.status === 'declined') return { kind: 'no', code: one.code, declineCode: one.declineCode }
    // With another amount, the values under the key do not differ only in the configuration.
    return 'needsOperator' in result && one.amount !== call.amount
      ? result
      : { kind: 'yes', ...effectOf(one) }
  }

  /**
   * An intent can be captured, cancelled or completely refunded only once, even without a key. Therefore, if the outcome under the
   * key must be looked up, the intent is read, and if necessary the call is repeated without the key. The same applies to a replayed
   * refusal or failed refund: otherwise a refund that an empty balance refused would be refused for a day after money has arrived.
   */
  async #repeatable(
    { id, idempotencyKey, to }: { id: string; idempotencyKey: string; to: FoundCharge['status'] },
    call: (options: Options) => Promise<Effect>,
  ): Promise<ProcessorResult<Effect>> {
    const first = await call({ idempotencyKey }).catch(failedOf)
    if (!(first instanceof Failed)) return { kind: 'yes', ...first }
    if (!first.isToBeLookedUp && !first.isReplayed) return first.result
    return resultOf(async () => {
      const intent = await this.#client.send(Intent, (stripe) =>
        stripe.paymentIntents.retrieve(id, { expand: ['latest_charge'] }),
      )
      const [report] = this.#reportsOf([intent])
      if (report?.status === to) return { kind: 'yes', ...effectOf(report) }
      return { kind: 'yes', ...(await call({})) }
    })
  }

  #reached(id: string, status: 'succeeded' | 'canceled', intent: Intent): Effect {
    if (intent.id !== id || intent.status !== status)
      throw new Failed(unexpected(`an intent is ${intent.status}`))
    const amount = status === 'succeeded' ? intent.amount_received : intent.amount
    return { id, amount, ...differenceOf(intent, this.#currency) }
  }

  /** Returns all intents of a card and an order, newest first. */
  async #intents({ token, reference }: CallOf<'find'>): Promise<Intent[]> {
    const card = cardOf(token)
    if (!card) return []
    // Ten, with their charges, are far below RESPONSE_BYTES.
    const query = { customer: card.customer, limit: 10, expand: ['data.latest_charge'] }
    const intents = await this.#client.list(Intent, (stripe, position) =>
      stripe.paymentIntents.list({ ...query, ...position }),
    )
    return intents.filter(({ metadata }) => metadata[ORDER] === reference)
  }

  #reportsOf(intents: readonly Intent[]): ReportedCharge[] {
    const all: ReportedCharge[] = []
    for (const intent of intents) {
      const report = reportOf(intent, this.#currency)
      if (report === 'unknown') throw new Failed(unexpected(`an intent is ${intent.status}`))
      if (report) all.push(report)
    }
    return all
  }

  /** Returns null for an intent of another sale, and for one without a charge. An intent with an unknown outcome counts as authorized. */
  #charge(intent: Intent): Charge | null {
    const reference = intent.metadata[ORDER]
    const report = reportOf(intent, this.#currency)
    if (reference === undefined || !report) return null
    if (report === 'unknown') {
      const differs = `the processor reports ${intent.status}`
      return { id: intent.id, reference, status: 'authorized', amount: intent.amount, differs }
    }
    return report.status === 'declined' ? null : { ...report, reference }
  }
}
