import { knownOf, type ChargeMirror } from '#/mirror-charges.ts'
import type { StripeEvent } from '#/outside/stripe-events.ts'
import type { CardDetails, Processor } from '#/outside/processor.ts'
import type { WebhookEventStore } from '#/store/webhook-events.ts'

/** Events after which the refunds and disputes of a charge are read again. API versions differ in the names of refund events. */
const AFTER_SALE = /^(charge\.refund|refund\.|charge\.dispute\.)/

type Deps = {
  events: Pick<WebhookEventStore, 'recordHandled'>
  processor: Pick<Processor, 'card'>
  mirror: Pick<ChargeMirror, 'refresh'>
  /** Notifies orders of an event about an order. */
  notify: (orderApiKey: string, event: string) => Promise<void>
  /** Sets the details of a saved card in accounts. */
  setCard: (card: { token: string } & CardDetails, event: string) => Promise<void>
}

/**
 * Returns the handler of the processor's events. An event is a hint to read the current state: the handler itself reads refunds,
 * disputes and cards, and orders repeats the command whose result the event reports. Therefore a repeated, late or reordered event
 * has no effect. Throws Problem payment-unavailable if the processor cannot be read; it then repeats the event.
 */
export function stripeEventHandler(deps: Deps) {
  const { events, mirror, notify } = deps
  return async function handle(event: StripeEvent): Promise<void> {
    const { intent, type } = event
    if (intent !== null && AFTER_SALE.test(type)) await mirror.refresh(intent)
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
