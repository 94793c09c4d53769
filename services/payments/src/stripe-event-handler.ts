import type { Log } from '@platter/kit'
import { interpretReport } from '#/domain/processor-result.ts'
import { knownOf, type ChargeMirror } from '#/mirror-charges.ts'
import type { StripeEvent } from '#/outside/stripe-events.ts'
import type { CardDetails, Processor } from '#/outside/processor.ts'
import type { StripeProcessor } from '#/outside/stripe-processor.ts'
import type { AuthorizationStore } from '#/store/authorizations.ts'
import type { WebhookEventStore } from '#/store/webhook-events.ts'

/** Events after which the refunds and disputes of a charge are read again. API versions differ in the names of refund events. */
const AFTER_SALE = /^(charge\.refund|refund\.|charge\.dispute\.)/

type Deps = {
  events: Pick<WebhookEventStore, 'recordHandled'>
  authorizations: Pick<AuthorizationStore, 'find' | 'move'>
  /** Null for the development payment processor, whose results never arrive by event. */
  stripe: Pick<StripeProcessor, 'read'> | null
  processor: Pick<Processor, 'card'>
  mirror: Pick<ChargeMirror, 'refresh'>
  /** Notifies orders of an event about an order. */
  notify: (orderApiKey: string, event: string) => Promise<void>
  /** Sets the details of a saved card in accounts. */
  setCard: (card: { token: string } & CardDetails, event: string) => Promise<void>
  log: Log
}

/**
 * Returns the handler of Stripe's events. An event is a hint: the handler reads the intent from Stripe, and changes the row by the
 * intent's current state. Therefore a repeated, late or reordered event has no effect. Throws Problem payment-unavailable if the
 * intent cannot be read; Stripe then repeats the event.
 */
export function stripeEventHandler(deps: Deps) {
  const { events, authorizations, stripe, mirror, notify, log } = deps
  async function moveRow(event: StripeEvent, intent: string): Promise<void> {
    if (!stripe) return
    const result = await stripe.read(intent)
    const { id, type } = event
    if (result.kind === 'no') {
      log.warn({ event: id, type, intent, code: result.code }, 'Stripe event about an unknown intent ignored')
      return
    }
    const { reference, report: reported } = knownOf(result)
    // The account may also have other sales.
    const row = reference === null ? null : await authorizations.find(reference)
    const report = row && reported && interpretReport(row, reported)
    if (!report) return
    const { orderApiKey, state } = row
    const line = { event: id, type, orderApiKey, state }
    if (report.kind === 'incident') {
      log.error(
        { ...line, reason: report.reason },
        'Stripe event contradicts the authorization; an operator must decide',
      )
      return
    }
    if (report.difference !== undefined)
      log.error({ ...line, reason: report.difference }, 'the result differs from the request')
    await authorizations.move(row, report.change)
    log.info({ ...line, now: report.change.state }, 'Stripe event moved an authorization')
  }

  return async function handle(event: StripeEvent): Promise<void> {
    const { intent, type } = event
    if (intent !== null && AFTER_SALE.test(type)) await mirror.refresh(intent)
    if (intent !== null) await moveRow(event, intent)
    if (event.reference) await notify(event.reference, event.id)
    if (event.replacedCard) await setReplacedCard(deps, event.replacedCard, event.id)
    await events.recordHandled()
  }
}

/**
 * The card is read from the processor, so that a late event sets no old details. Other cards of the account may not belong to
 * Platter.
 */
async function setReplacedCard({ processor, setCard }: Deps, token: string, event: string): Promise<void> {
  const result = await processor.card({ token })
  if (result.kind === 'no') return
  const { brand, lastFour, expirationMonth, expirationYear } = knownOf(result)
  await setCard({ token, brand, lastFour, expirationMonth, expirationYear }, event)
}
