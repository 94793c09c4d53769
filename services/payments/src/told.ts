import type { Log } from '@platter/kit'
import { Problem } from '@platter/kit'
import { learnTold } from '#/domain/learn.ts'
import type { StripeEvent } from '#/outside/stripe-events.ts'
import type { StripeProcessor } from '#/outside/stripe-processor.ts'
import type { Authorizations } from '#/store/authorizations.ts'
import type { WebhookEvents } from '#/store/webhook-events.ts'

type Parts = {
  events: WebhookEvents
  authorizations: Pick<Authorizations, 'find' | 'move'>
  processor: Pick<StripeProcessor, 'read'>
  log: Log
}

/**
 * Takes an event for what it is, a hint: the intent is read from Stripe, and the order's row moves by what
 * Stripe says now, as it would by an answer. So a repeated, late or reordered event can do no harm. It is
 * remembered when everything is done; until then Stripe sends it again.
 */
export function createTold({ events, authorizations, processor, log }: Parts) {
  async function look(event: StripeEvent, intent: string): Promise<void> {
    const answer = await processor.read(intent)
    if (answer.kind === 'unknown')
      throw new Problem(
        'payment-unavailable',
        'Stripe cannot be asked about this now. Please send it again.',
        {
          cause: new Error(answer.reason),
        },
      )
    const { id, type } = event
    if (answer.kind === 'no') {
      log.warn(
        { event: id, type, intent, code: answer.code },
        'an event is about an intent that is not there',
      )
      return
    }
    // Something else may be sold through the same account.
    const row = answer.reference === null ? null : await authorizations.find(answer.reference)
    const learnt = row && answer.told && learnTold(row, answer.told)
    if (!learnt) return
    const { orderApiKey, state } = row
    const line = { event: id, type, orderApiKey, state }
    if (learnt.kind === 'mistake') {
      log.error({ ...line, reason: learnt.reason }, 'an event that a person is to look at')
      return
    }
    if (learnt.alarm !== undefined)
      log.error({ ...line, reason: learnt.alarm }, 'it is not what was asked for')
    await authorizations.move(row, learnt.change)
    log.info({ ...line, now: learnt.change.state }, 'an event moved an authorization')
  }

  return async function told(event: StripeEvent): Promise<void> {
    if (await events.isKnown(event.id)) return
    if (event.intent !== null) await look(event, event.intent)
    await events.remember(event.id)
  }
}
