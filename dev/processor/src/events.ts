import { createHmac, randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Log } from '@platter/kit'
import type { Response } from './effects.ts'
import type { Faults } from './faults.ts'
import type { Entry } from './ledger.ts'

export type Target = { url: string; secret: string }

/** As long as a development platform takes to restart. A real processor repeats an event for days. */
const RETRY_AFTER_MS = [500, 2_000, 10_000]
const SEND_WITHIN_MS = 5_000

/** `reference`: the order of the event. */
type Event = { id: string; body: string; reference: string | undefined }

/**
 * Sends an event for each refund, dispute and answer at the bank, with Stripe's signature (docs.stripe.com/webhooks/signature). The
 * fault kind `event` applies: `drop-request` loses the event, `drop-reply` sends it twice, `slow` delays it behind later ones.
 */
export class Events {
  readonly #target: Target | null
  readonly #faults: Faults
  readonly #log: Log
  readonly #stopping = new AbortController()

  constructor(target: Target | null, faults: Faults, log: Log) {
    this.#target = target
    this.#faults = faults
    this.#log = log
  }

  /** Returns immediately, because no client of the processor waits for an event. */
  publish(entry: Entry): void {
    const type = typeOf(entry)
    if (type === null) return
    const object =
      entry.kind === 'authenticate'
        ? { object: 'payment_intent', id: entry.id, metadata: { orderApiKey: entry.reference } }
        : { object: 'charge', id: entry.id, payment_intent: entry.id }
    this.#send(type, object, entry.reference)
  }

  /** Reports a replaced card, as Stripe reports one that a network has updated; the object is a saved card. */
  cardReplaced(token: string): void {
    this.#send('payment_method.automatically_updated', { object: 'payment_method', id: token })
  }

  #send(type: string, object: object, reference?: string): void {
    if (!this.#target) return
    const id = `evt_${randomBytes(12).toString('hex')}`
    const body = JSON.stringify({ id, object: 'event', type, data: { object } })
    void this.#deliver(this.#target, { id, body, reference })
  }

  stop(): void {
    this.#stopping.abort()
  }

  async #deliver(target: Target, event: Event): Promise<void> {
    for (const delay of [0, ...RETRY_AFTER_MS]) {
      if (delay > 0) await wait(delay, undefined, { signal: this.#stopping.signal }).catch(() => 'stopped')
      if (this.#stopping.signal.aborted) return
      const sent: Event[] = []
      const work = () => {
        sent.push(event)
        return send(target, event)
      }
      const response = await this.#faults.strike('event', work, event.reference)
      if (sent.length === 0 || (response && response.status < 300)) return
    }
    this.#log.warn({ event: event.id }, 'event not delivered')
  }
}

function typeOf({ kind, outcome }: Entry): string | null {
  if (kind === 'authenticate' && outcome === 'open') return null
  if (kind === 'authenticate')
    return outcome === 'approved'
      ? 'payment_intent.amount_capturable_updated'
      : 'payment_intent.payment_failed'
  if (kind === 'refund') return outcome === 'failed' ? 'refund.failed' : 'charge.refunded'
  if (kind !== 'dispute') return null
  return outcome === 'approved' ? 'charge.dispute.created' : 'charge.dispute.closed'
}

async function send({ url, secret }: Target, { body }: Event): Promise<Response> {
  const time = Math.floor(Date.now() / 1_000)
  const signature = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')
  const headers = { 'content-type': 'application/json', 'stripe-signature': `t=${time},v1=${signature}` }
  try {
    const signal = AbortSignal.timeout(SEND_WITHIN_MS)
    const { status } = await fetch(url, { method: 'POST', headers, body, signal })
    return { status, body: {} }
  } catch {
    return { status: 503, body: {} }
  }
}
