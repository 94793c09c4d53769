import type { Call } from '#/domain/authorization.ts'
import type { Answer, Effect, Found, Told } from '#/domain/learn.ts'
import { cents, type Charge } from '@platter/contracts'
import { ANSWER_WITHIN_MS, type Card, type Processor, type ProcessorBook } from '#/outside/processor.ts'
import {
  AUTHENTICATION_REQUIRED,
  differenceOf,
  failed,
  Intent,
  IntentList,
  Method,
  ORDER,
  Owner,
  Refund,
  toldOf,
  type Failed,
} from '#/outside/stripe-answers.ts'
import { StripeClient, type Result } from '#/outside/stripe-client.ts'

type CallTo<M extends Call['move']> = Omit<Extract<Call, { move: M }>, 'move'>
/** Without a key the SDK makes up one of its own. */
type Options = { idempotencyKey?: string }

export type StripeSettings = {
  secretKey: string
  /** Base URL. */
  url: string
  /** ISO 4217 in lower case, one with two decimals. */
  currency: string
  answerWithinMs?: number
}

/**
 * Stripe: a hold is a PaymentIntent that is confirmed at once and captured by hand.
 *
 * A token is a PaymentMethod and the Customer that it belongs to, because without a Customer it may be used
 * once only. The Customer stands for the card and nothing else, so the list of its intents is short.
 */
export class StripeProcessor implements Processor, ProcessorBook {
  readonly #client: StripeClient
  readonly #currency: string
  readonly #answerWithinMs: number

  constructor({ secretKey, url, currency, answerWithinMs = ANSWER_WITHIN_MS }: StripeSettings) {
    this.#client = new StripeClient({ secretKey, url, answerWithinMs })
    this.#currency = currency
    this.#answerWithinMs = answerWithinMs
  }

  /**
   * Stripe takes card numbers only from accounts that it has allowed to send them (docs.stripe.com, "raw card
   * data APIs"); others are told an invalid_request_error. A bank may decline a card already here.
   */
  async tokenize({ cardNumber, cvv, expirationMonth, expirationYear }: Card) {
    // Two calls in the time of one.
    const options = { timeout: this.#answerWithinMs / 2 }
    const card = {
      number: cardNumber,
      cvc: cvv,
      exp_month: Number(expirationMonth),
      exp_year: 2000 + Number(expirationYear),
    }
    const method = await this.#client.ask(Method, (stripe) =>
      stripe.paymentMethods.create({ type: 'card', card }, options),
    )
    if (method.kind === 'failed') return method.answer
    const { id, card: shown } = method.value
    const owner = await this.#client.ask(Owner, (stripe) =>
      stripe.customers.create({ payment_method: id }, options),
    )
    if (owner.kind === 'failed') return owner.answer
    const token = `${owner.value.id}:${id}`
    return { kind: 'yes' as const, token, brand: shown.brand, lastFour: shown.last4 }
  }

  async authorize(call: CallTo<'authorize'>): Promise<Answer<Effect>> {
    const card = cardOf(call.token)
    if (!card) return { kind: 'no', code: 'no_such_token', declineCode: 'no_such_token' }
    const { idempotencyKey, reference, amount } = call
    const asked = await this.#client.ask(Intent, (stripe) =>
      stripe.paymentIntents.create(
        {
          ...card,
          amount,
          currency: this.#currency,
          allowed_payment_method_types: ['card'],
          capture_method: 'manual',
          confirm: true,
          // A client has no way to let its person authenticate, so what the bank wants authenticated is declined.
          error_on_requires_action: true,
          metadata: { [ORDER]: reference },
        },
        { idempotencyKey },
      ),
    )
    if (asked.kind === 'failed') return this.#notHeld(asked, call)
    const { id, status, amount_capturable: held } = asked.value
    if (status === 'requires_action') return this.#giveUp(id)
    if (status !== 'requires_capture') return unexpected(`a new intent is ${status}`)
    return { kind: 'yes', ...this.#effect(id, held, { ...asked.value, reference }) }
  }

  capture({ id, amount, idempotencyKey }: CallTo<'capture'>): Promise<Answer<Effect>> {
    return this.#move({ id, idempotencyKey, to: 'captured' }, async (options) => {
      const asked = await this.#client.ask(Intent, (stripe) =>
        stripe.paymentIntents.capture(id, { amount_to_capture: amount }, options),
      )
      return this.#reached(id, 'succeeded', asked)
    })
  }

  void({ id, idempotencyKey }: CallTo<'void'>): Promise<Answer<Effect>> {
    return this.#move({ id, idempotencyKey, to: 'voided' }, async (options) => {
      const asked = await this.#client.ask(Intent, (stripe) => stripe.paymentIntents.cancel(id, {}, options))
      return this.#reached(id, 'canceled', asked)
    })
  }

  refund({ id, amount, idempotencyKey }: CallTo<'refund'>): Promise<Answer<Effect>> {
    return this.#move({ id, idempotencyKey, to: 'refunded' }, async (options) => {
      const asked = await this.#client.ask(Refund, (stripe) =>
        stripe.refunds.create({ payment_intent: id, amount }, options),
      )
      if (asked.kind === 'failed') return asked
      const { status, amount: given, payment_intent: of } = asked.value
      if (status === 'failed' || status === 'canceled') return failed(refundFailed)
      // A pending one is on its way; should it fail after all, the intent counts as captured again.
      const isGiven = (status === 'succeeded' || status === 'pending') && of === id
      if (!isGiven) return failed(unexpected(`a refund is ${status}`))
      return { kind: 'yes', value: this.#effect(id, given, asked.value) }
    })
  }

  /**
   * By the list of the card's intents and the order in their metadata. A list has what was just written;
   * Stripe's search may be an hour behind and is not to be used after a write (docs.stripe.com/search).
   */
  async find(call: CallTo<'find'>): Promise<Answer<{ found: Found[] }>> {
    const told = await this.#told(call)
    if (told.kind === 'failed') return told.answer
    return { kind: 'yes', found: told.value.filter((one) => one.status !== 'declined') }
  }

  /**
   * Every intent that names an order of ours, newest first; something else may be sold through the same account.
   * Twenty-five with their charges are below the size that an answer may have. Not the SDK's own pages: each
   * answer is checked before it is believed.
   */
  async list({ from, to, after }: { from: number; to: number; after: string | null }) {
    const page = { created: { gte: from, lt: to }, limit: 25, expand: ['data.latest_charge'] }
    const asked = await this.#client.ask(IntentList, (stripe) =>
      stripe.paymentIntents.list(after === null ? page : { ...page, starting_after: after }),
    )
    if (asked.kind === 'failed') return asked.answer
    const { data, has_more: hasMore } = asked.value
    const charges = data.flatMap((intent) => this.#charge(intent) ?? [])
    return { kind: 'yes' as const, charges, after: hasMore ? (data.at(-1)?.id ?? null) : null }
  }

  /** An intent as it is now: of which order it is, if of one of ours, and what came of it. */
  async read(id: string): Promise<Answer<{ reference: string | null; told: Told | null }>> {
    const asked = await this.#client.ask(Intent, (stripe) =>
      stripe.paymentIntents.retrieve(id, { expand: ['latest_charge'] }),
    )
    if (asked.kind === 'failed') return asked.answer
    const told = toldOf(asked.value)
    if (told === 'unsettled') return unexpected(`an intent is ${asked.value.status}`)
    const reference = asked.value.metadata[ORDER] ?? null
    return { kind: 'yes', reference, told: told && this.#compared(told, asked.value) }
  }

  close(): Promise<void> {
    return this.#client.close()
  }

  /** A create that gave no hold: declined, given up, or kept as a 5xx and so to be looked up. */
  async #notHeld(asked: Failed, call: CallTo<'authorize'>): Promise<Answer<Effect>> {
    const { answer, intent, isKept } = asked
    const wantsAuthentication = answer.kind === 'no' && answer.declineCode === AUTHENTICATION_REQUIRED
    if (wantsAuthentication && intent) return this.#giveUp(intent.id)
    if (!isKept) return answer
    const told = await this.#told(call)
    if (told.kind === 'failed') return told.answer
    const one = told.value.find(({ status }) => status !== 'declined') ?? told.value[0]
    // Of nothing found nobody knows whether it is still to come.
    if (!one) return answer
    return one.status === 'declined'
      ? { kind: 'no', code: one.code, declineCode: one.declineCode }
      : { kind: 'yes', ...effectOf(one) }
  }

  /** Cancels an intent that waits for its card's owner to authenticate, so that nobody can go on with it. */
  async #giveUp(id: string): Promise<Answer<never>> {
    const asked = await this.#client.ask(Intent, (stripe) => stripe.paymentIntents.cancel(id))
    const status = asked.kind === 'yes' ? asked.value.status : asked.intent?.status
    if (status === 'canceled') {
      return { kind: 'no', code: 'card_declined', declineCode: AUTHENTICATION_REQUIRED }
    }
    const isUnknown = asked.kind === 'failed' && asked.answer.kind === 'unknown'
    return isUnknown ? asked.answer : unexpected('an intent cannot be given up')
  }

  /**
   * A move that has one effect also without a key, as an intent can be captured, cancelled or wholly refunded
   * but once. So when Stripe has kept a 5xx under the key, it is looked up and if need be done without the key.
   */
  async #move(
    { id, idempotencyKey, to }: { id: string; idempotencyKey: string; to: Found['status'] },
    work: (options: Options) => Promise<Result<Effect>>,
  ): Promise<Answer<Effect>> {
    const asked = await work({ idempotencyKey })
    if (asked.kind === 'yes' || !asked.isKept) return answerOf(asked)
    const now = await this.read(id)
    if (now.kind !== 'yes') return now
    const { told } = now
    if (told?.status === to) return { kind: 'yes', ...effectOf(told) }
    return answerOf(await work({}))
  }

  #reached(id: string, status: 'succeeded' | 'canceled', asked: Result<Intent>): Result<Effect> {
    if (asked.kind === 'failed') return asked
    const intent = asked.value
    if (intent.id !== id || intent.status !== status)
      return failed(unexpected(`an intent is ${intent.status}`))
    const amount = status === 'succeeded' ? intent.amount_received : intent.amount
    return { kind: 'yes', value: this.#effect(id, amount, intent) }
  }

  /** What came of every intent of a card and an order, newest first. */
  async #told({ token, reference }: CallTo<'find'>): Promise<Result<Told[]>> {
    const card = cardOf(token)
    if (!card) return { kind: 'yes', value: [] }
    const all: Told[] = []
    let after: string | undefined
    do {
      // Ten, with their charges, are far below the size that an answer may have.
      const page = { customer: card.customer, limit: 10, expand: ['data.latest_charge'] }
      const asked = await this.#client.ask(IntentList, (stripe) =>
        stripe.paymentIntents.list(after === undefined ? page : { ...page, starting_after: after }),
      )
      if (asked.kind === 'failed') return asked
      const { data, has_more: hasMore } = asked.value
      for (const intent of data.filter(({ metadata }) => metadata[ORDER] === reference)) {
        const told = toldOf(intent)
        if (told === 'unsettled') return failed(unexpected(`an intent is ${intent.status}`))
        if (told) all.push(this.#compared(told, intent))
      }
      after = hasMore ? data.at(-1)?.id : undefined
    } while (after !== undefined)
    return { kind: 'yes', value: all }
  }

  /** Null for an intent of nobody's order, and for one that holds nothing. What Stripe is not sure of counts as held. */
  #charge(intent: Intent): Charge | null {
    const reference = intent.metadata[ORDER]
    const told = toldOf(intent)
    if (reference === undefined || !told) return null
    if (told === 'unsettled') {
      const differs = `the processor says ${intent.status}`
      return { id: intent.id, reference, status: 'authorized', amount: cents(intent.amount), differs }
    }
    if (told.status === 'declined') return null
    const { id, status, amount } = told
    return { ...this.#effect(id, amount, intent), reference, status, amount: cents(amount) }
  }

  #compared(told: Told, intent: Intent): Told {
    return told.status === 'declined' ? told : { ...told, ...this.#effect(told.id, told.amount, intent) }
  }

  #effect(id: string, amount: number, said: Parameters<typeof differenceOf>[0]): Effect {
    const differs = differenceOf(said, this.#currency)
    return { id, amount, ...(differs !== undefined && { differs }) }
  }
}

const TOKEN = /^(cus_\w+):(pm_\w+)$/

/** Null for what is no token of Stripe's. */
function cardOf(token: string): { customer: string; payment_method: string } | null {
  const [, customer, method] = TOKEN.exec(token) ?? []
  return customer !== undefined && method !== undefined ? { customer, payment_method: method } : null
}

const answerOf = (asked: Result<Effect>): Answer<Effect> =>
  asked.kind === 'yes' ? { kind: 'yes', ...asked.value } : asked.answer

const effectOf = ({ id, amount, differs }: Found): Effect => ({
  id,
  amount,
  ...(differs !== undefined && { differs }),
})

const refundFailed = { kind: 'no', code: 'refund_failed', declineCode: 'refund_failed' } as const

/** Something that Stripe's documents do not foresee for what we asked: a person is to look at it. */
const unexpected = (reason: string) => ({ kind: 'unknown', reason, sent: true, alarm: true }) as const
