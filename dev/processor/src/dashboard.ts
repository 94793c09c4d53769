import type { App } from '@platter/kit'
import { z } from 'zod'
import type { Book } from './book.ts'
import { newIdentity, type EffectRequest, type Response, type WithoutIdentity } from './effects.ts'
import { DASHBOARD, type Details } from './details.ts'
import { escaped, htmlPage, money } from './html.ts'
import { invalidFields } from './responses.ts'
import { Replacement } from './saved-cards.ts'

const Cents = z.int().min(1)
const Text = z.string().min(1).max(100)
const NewRefund = z.object({ reference: Text, amount: Cents })
const OfOrder = z.object({ reference: Text })
/** `isRefundable`: false if refunds of the charge are refused until the dispute is won, as at Stripe. */
const NewDispute = z.object({
  reference: Text,
  amount: Cents,
  reason: Text.default('fraudulent'),
  isRefundable: z.boolean().optional(),
})
const Close = z.object({ outcome: z.enum(['won', 'lost']) })
const Id = z.object({ id: z.string().optional() })

type Dispute = WithoutIdentity<Extract<EffectRequest, { kind: 'dispute' }>>

/** The maximum number of charges on the page. */
const SHOWN = 50

type Parts = {
  book: Book
  once: (request: EffectRequest) => Promise<Response>
  /** Replaces the card of a token, as a bank does; the token stays the same. */
  replaceCard: (replacement: Replacement) => Promise<void>
}

/**
 * The actions of the merchant or a bank at the processor, without Platter: refunds and disputes, as in the dashboard of a real
 * processor. Platter receives them as events. Requests have no idempotency key, so each has an effect.
 */
export function addDashboard(app: App, { book, once, replaceCard }: Parts): void {
  /** An invalid body is refused with the names of all fields. */
  const action = <S extends z.ZodObject>(
    path: string,
    schema: S,
    work: (body: z.output<S>, id: string) => Promise<Response>,
  ) =>
    app.post(`/dashboard/${path}`, async ({ params, body }, reply) => {
      const { data } = schema.safeParse(body)
      const { id = '' } = Id.parse(params)
      const response = data ? await work(data, id) : invalidFields(...Object.keys(schema.shape))
      return reply.code(response.status).send(response.body)
    })
  const onCharge = async (
    reference: string,
    request: { kind: 'refund'; amount: number } | Omit<Dispute, 'id'>,
  ): Promise<Response> => {
    const charge = book.find(reference).find(({ status }) => status === 'captured' || status === 'refunded')
    if (!charge) return { status: 404, body: { code: 'no_such_charge' } }
    return once({ ...request, ...newIdentity(DASHBOARD), id: charge.id })
  }
  action('refunds', NewRefund, (body) => onCharge(body.reference, { kind: 'refund', amount: body.amount }))
  action('refunds/fail', OfOrder, ({ reference }) =>
    once({ kind: 'fail-refund', reference, ...newIdentity(DASHBOARD) }),
  )
  action('disputes', NewDispute, ({ reference, ...dispute }) =>
    onCharge(reference, { kind: 'dispute', ...dispute }),
  )
  action('disputes/:id/close', Close, ({ outcome }, id) =>
    once({ kind: 'close-dispute', dispute: id, outcome, ...newIdentity(DASHBOARD) }),
  )
  action('cards/replace', Replacement, async (body) => {
    await replaceCard(body)
    return { status: 200, body: { replaced: true } }
  })
  app.get('/dashboard', (_request, reply) =>
    reply.type('text/html; charset=utf-8').send(pageOf(book.newest(SHOWN))),
  )
}

// Page ---------------------------------------------------------------------------------------------------

/** Sends the data of the pressed button, then shows the new state. */
const SCRIPT = `
document.addEventListener('click', async ({ target }) => {
  const { path, body, ask } = target.dataset
  if (!path) return
  const data = JSON.parse(body)
  if (ask) {
    const amount = prompt('Amount in cents', String(data.amount))
    if (amount === null) return
    data.amount = Number(amount)
  }
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(data) })
  if (response.ok) location.reload()
  else alert((await response.json()).code)
})`

const STYLE = `
body { font: 16px system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem }
table { border-collapse: collapse; width: 100% }
th, td { border-bottom: 1px solid #ccc; padding: 0.5rem; text-align: left; vertical-align: top }
button { font: inherit }`

function button(label: string, path: string, { body, ask }: { body: object; ask?: boolean }): string {
  const data = escaped(JSON.stringify(body))
  return `<button data-path="${escaped(path)}" data-body="${data}"${ask ? ' data-ask="yes"' : ''}>${label}</button>`
}

function rowOf(one: Details): string {
  const { reference, captured, refunded, refunds, disputes } = one
  const left = captured - refunded
  const actions = left > 0 && [
    button('Refund', '/dashboard/refunds', { body: { reference, amount: left }, ask: true }),
    button('Dispute', '/dashboard/disputes', {
      body: { reference, amount: left, reason: 'fraudulent' },
      ask: true,
    }),
  ]
  const closing = disputes.map(({ id, state, amount, reason }) => {
    const path = `/dashboard/disputes/${id}/close`
    const buttons = [
      button('Won', path, { body: { outcome: 'won' } }),
      button('Lost', path, { body: { outcome: 'lost' } }),
    ]
    return `${money(amount)} ${escaped(reason)}: ${state} ${state === 'open' ? buttons.join(' ') : ''}`
  })
  const isStanding = refunds.some(({ state }) => state === 'done')
  const failing = isStanding
    ? [button('Fail the latest', '/dashboard/refunds/fail', { body: { reference } })]
    : []
  const cells = [
    `<code>${escaped(reference)}</code>`,
    one.voided ? 'voided' : money(captured),
    [...refunds.map(({ amount, state }) => `${money(amount)} ${state}`), ...failing].join('<br>'),
    closing.join('<br>'),
    actions ? actions.join(' ') : '',
  ]
  return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`
}

const pageOf = (charges: readonly Details[]): string =>
  htmlPage('Payment processor', {
    style: STYLE,
    body: `<h1>Development payment processor</h1>
<p>The newest ${SHOWN} charges. Refunds and disputes made here reach the platform by events.</p>
<table><thead><tr><th>Order<th>Captured<th>Refunds<th>Disputes<th></tr></thead>
<tbody>${charges.map(rowOf).join('\n')}</tbody></table>
<script>${SCRIPT}</script>`,
  })
