import { isCardNumber } from '@platter/contracts'
import { declinedCardOf } from '#/testing/stripe-cards.ts'
import { AfterSale } from '#/testing/stripe-after-sale.ts'
import {
  listOf,
  newCharge,
  newId,
  newIntent,
  nextActionOf,
  shownMethod,
  type Method,
  type Params,
} from '#/testing/stripe-objects.ts'
import type { Refusal } from '#/testing/stripe-parameters.ts'
import { declinedWith, invalid, missing, Refused, unexpectedState } from '#/testing/stripe-refusals.ts'

type Intent = ReturnType<typeof newIntent>
type NumberedCard = Extract<Params<'tokenize'>['card'], { number: string }>

const CANCELABLE = ['requires_payment_method', 'requires_capture', 'requires_confirmation', 'requires_action']

/** Stripe's state: PaymentMethods, Customers, and PaymentIntents with the statuses of their life cycle. */
export class StripeState {
  readonly #tokens = new Map<string, NumberedCard>()
  readonly #usedTokens = new Set<string>()
  readonly #methods = new Map<string, Method>()
  readonly #customers = new Set<string>()
  readonly #intents = new Map<string, Intent>()
  /** The effects on charges, in order. */
  readonly effects: { kind: string; reference: string | undefined; amount: number }[] = []
  /** Behaves as if `error_on_requires_action` were not supported. */
  isActionRequired = false
  /** Each action is for Stripe's own library, independent of the intent's page. */
  isActionOfLibrary = false
  readonly afterSale = new AfterSale()

  /** Creates a single-use token, as Stripe.js does in the customer's browser with the publishable key. */
  newClientToken(card: NumberedCard): string {
    const id = newId('tok')
    this.#tokens.set(id, card)
    return id
  }

  tokenize({ card: given, billing_details: billing }: Params<'tokenize'>) {
    const card = 'token' in given ? this.#takeToken(given.token) : given
    const { number, exp_month, exp_year } = card
    if (!isCardNumber(number)) throw declinedWith({ code: 'incorrect_number' })
    const expiry = { exp_month, exp_year }
    const method: Method = {
      id: newId('pm'),
      number,
      lastFour: null,
      expiry,
      billing,
      customer: null,
      isUsed: false,
      isDetached: false,
    }
    this.#methods.set(method.id, method)
    return shownMethod(method)
  }

  /** The billing details of a PaymentMethod with a Customer. */
  describe(id: string, { billing_details: billing }: Params<'describe'>) {
    const method = this.#method(id)
    if (method.customer === null)
      throw invalid('parameter_invalid', 'The PaymentMethod must be attached to a Customer.')
    method.billing = billing ?? method.billing
    return shownMethod(method)
  }

  method(id: string) {
    return shownMethod(this.#method(id, { status: 404 }))
  }

  /** docs.stripe.com/api/payment_methods/detach. A second detachment is refused, without a code. */
  detach(id: string) {
    const method = this.#method(id, { status: 404 })
    if (method.customer === null)
      throw new Refused({
        status: 400,
        type: 'invalid_request_error',
        message: 'The payment method you provided is not attached to a customer so detachment is impossible.',
      })
    method.customer = null
    method.isDetached = true
    return shownMethod(method)
  }

  /** Replaces the card, as the network reports it; the PaymentMethod stays the same. */
  replaceCard(id: string, lastFour: string, expiry: Method['expiry']): void {
    Object.assign(this.#method(id), { lastFour, expiry })
  }

  #takeToken(id: string): NumberedCard {
    const card = this.#tokens.get(id)
    if (!card) throw invalid('resource_missing', `No such token: '${id}'`, { param: 'card[token]' })
    if (this.#usedTokens.has(id))
      throw invalid('token_already_used', 'You cannot use a token more than once.')
    this.#usedTokens.add(id)
    return card
  }

  /** "The cards in the previous table can't be attached to a Customer object" (docs.stripe.com/testing). */
  attach({ payment_method: id }: Params<'attach'>) {
    const customer = newId('cus')
    const method = this.#method(id)
    const card = declinedCardOf(method.number)
    if (card?.declinedAt === 'attach') throw declinedWith(card.decline)
    if (method.customer !== null)
      throw invalid('resource_already_exists', 'It is attached to another Customer.')
    if (method.isDetached)
      throw invalid('payment_method_invalid', 'It was detached from a Customer, and may not be used again.')
    method.customer = customer
    this.#customers.add(customer)
    return { id: customer, object: 'customer', livemode: false }
  }

  authorize(params: Params<'authorize'>) {
    if (params.amount < 50)
      throw invalid('amount_too_small', 'Amount must be at least $0.50 usd', { param: 'amount' })
    const intent = newIntent(params)
    const method = this.#usable(params.payment_method, params.customer)
    this.#intents.set(intent.id, intent)
    method.isUsed = true
    this.#confirm(intent, method, params.error_on_requires_action === true && !this.isActionRequired)
    if (intent.status === 'requires_action')
      intent.next_action = nextActionOf(intent.id, this.isActionOfLibrary ? undefined : params.return_url)
    return shown(intent)
  }

  capture(id: string, { amount_to_capture }: Params<'capture'>) {
    const intent = this.#intent(id)
    const { latest_charge: charge, amount_capturable: capturable } = intent
    if (intent.status !== 'requires_capture' || !charge)
      throw unexpectedState(shown(intent), 'captured', ['requires_capture'])
    const amount = amount_to_capture ?? capturable
    if (amount > capturable)
      throw invalid('amount_too_large', 'It is more than can be captured.', { param: 'amount_to_capture' })
    Object.assign(intent, { status: 'succeeded', amount_received: amount, amount_capturable: 0 })
    charge.captured = true
    this.#record('capture', intent, amount)
    return shown(intent)
  }

  void(id: string) {
    const intent = this.#intent(id)
    if (!CANCELABLE.includes(intent.status)) throw unexpectedState(shown(intent), 'canceled', CANCELABLE)
    const { latest_charge: charge, status } = intent
    if (status === 'requires_capture' && charge) this.#record('void', intent, charge.amount)
    Object.assign(intent, { status: 'canceled', amount_capturable: 0, next_action: null })
    return shown(intent)
  }

  refund({ payment_intent: id, amount: requested, metadata }: Params<'refund'>) {
    const intent = this.#intent(id)
    const { latest_charge: charge, amount_received: captured } = intent
    if (!charge?.captured)
      throw invalid(
        'payment_intent_unexpected_state',
        `This PaymentIntent (${id}) has no successful charge to refund.`,
      )
    if (this.afterSale.isDisputed(id))
      throw invalid('charge_disputed', `Charge ${charge.id} has been charged back; cannot issue a refund.`)
    const left = captured - charge.amount_refunded
    if (left === 0) throw invalid('charge_already_refunded', `Charge ${charge.id} has already been refunded.`)
    const amount = requested ?? left
    if (amount > left)
      throw invalid('amount_too_large', 'Refund amount is greater than unrefunded amount on charge')
    charge.amount_refunded += amount
    charge.refunded = charge.amount_refunded === captured
    this.#record('refund', intent, amount)
    const { currency } = intent
    return this.afterSale.addRefund({ amount, currency, payment_intent: id, charge: charge.id, metadata })
  }

  read(id: string, { expand }: Params<'read'>) {
    return shown(this.#intent(id), expand?.includes('latest_charge'))
  }

  find({ customer, expand, ...page }: Params<'find'>) {
    if (customer !== undefined && !this.#customers.has(customer))
      throw missing('customer', customer, { param: 'customer' })
    const all = [...this.#intents.values()].filter((one) => (customer ?? one.customer) === one.customer)
    const list = listOf('/v1/payment_intents', all, page)
    return { ...list, data: list.data.map((one) => shown(one, expand?.includes('data.latest_charge'))) }
  }

  /** Answers for the customer at the bank. A failed authentication leaves the intent open (docs.stripe.com/payments/3d-secure). */
  endChallenge(id: string, outcome: 'yes' | 'no'): void {
    const intent = this.#intent(id)
    // A client with the intent's secret may confirm it again.
    if (intent.status !== 'requires_action' && intent.status !== 'requires_payment_method') return
    if (outcome === 'yes') return this.#reserve(intent)
    const code = 'payment_intent_authentication_failure'
    const failure = { status: 'requires_payment_method', next_action: null }
    Object.assign(intent, { ...failure, last_payment_error: { type: 'card_error', code } })
  }

  /** Changes an intent without an API request, like the Dashboard or an expiry. */
  change(id: string, change: Partial<Intent>): void {
    Object.assign(this.#intent(id), change)
  }

  #confirm(intent: Intent, { number }: Method, errorOnAction: boolean): void {
    const card = declinedCardOf(number)
    const isAction = card?.declinedAt === 'authentication'
    if (isAction && !errorOnAction) {
      intent.status = 'requires_action'
      return
    }
    if (card) {
      const { decline } = card
      Object.assign(intent, {
        status: 'requires_payment_method',
        last_payment_error: { type: 'card_error', ...decline },
        latest_charge: isAction ? null : newCharge('failed', intent.amount),
      })
      throw declinedWith(decline, shown(intent))
    }
    this.#reserve(intent)
  }

  #reserve(intent: Intent): void {
    const { amount } = intent
    intent.latest_charge = newCharge('succeeded', amount)
    Object.assign(intent, { status: 'requires_capture', amount_capturable: amount, next_action: null })
    this.#record('authorize', intent, amount)
  }

  #method(id: string, more: Partial<Refusal> = {}): Method {
    const method = this.#methods.get(id)
    if (!method) throw missing('PaymentMethod', id, { param: 'payment_method', ...more })
    return method
  }

  #usable(id: string, customer: string | undefined): Method {
    const method = this.#method(id)
    if (method.customer !== (customer ?? null)) {
      throw invalid(
        'payment_intent_invalid_parameter',
        'The PaymentMethod belongs to another Customer, or to none.',
      )
    }
    if (customer === undefined && (method.isUsed || method.isDetached)) {
      throw invalid(
        'payment_method_invalid',
        'It was used without Customer attachment and may not be used again.',
      )
    }
    return method
  }

  #intent(id: string): Intent {
    const intent = this.#intents.get(id)
    if (!intent) throw missing('payment_intent', id, { status: 404, param: 'intent' })
    return intent
  }

  #record(kind: string, { metadata }: Intent, amount: number): void {
    this.effects.push({ kind, reference: metadata['orderApiKey'], amount })
  }
}

/** Returns an intent for a response: with the id of its charge, or the charge itself. A copy, because responses are replayed. */
const shown = (intent: Intent, withCharge = false) =>
  structuredClone({
    ...intent,
    latest_charge: withCharge ? intent.latest_charge : (intent.latest_charge?.id ?? null),
  })
