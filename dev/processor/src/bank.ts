import type { App } from '@platter/kit'
import { z } from 'zod'
import type { Book } from './book.ts'
import { newIdentity, type EffectRequest, type Response } from './effects.ts'
import type { Challenge } from './challenges.ts'
import { escaped, htmlPage, money } from './html.ts'
import { invalidFields } from './responses.ts'

const BankDecision = z.object({ outcome: z.enum(['yes', 'no']) })
const Id = z.object({ id: z.string() })
const PATH = '/authentications/:id'

type Parts = { book: Book; once: (request: EffectRequest) => Promise<Response>; now: () => Date }

/** The page of the cardholder's bank. It requests the customer's confirmation of the payment, and redirects to the client. */
export function addBank(app: App, { book, once, now }: Parts): void {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  )
  app.get(PATH, (request, reply) => {
    const challenge = book.challenge(Id.parse(request.params).id, now())
    return reply
      .code(challenge ? 200 : 404)
      .type('text/html; charset=utf-8')
      .send(pageOf(challenge))
  })
  app.post(PATH, async ({ params, body, headers }, reply) => {
    const { id } = Id.parse(params)
    const decision = BankDecision.safeParse(body)
    if (!decision.success) return reply.code(400).send(invalidFields('outcome').body)
    const result = await once({ kind: 'authenticate', id, ...decision.data, ...newIdentity('bank:') })
    const isForm = String(headers['content-type']).startsWith('application/x-www-form-urlencoded')
    const returnUrl = book.challenge(id, now())?.returnUrl ?? null
    if (!isForm) return reply.code(result.status).send({ ...result.body, returnUrl })
    return reply.redirect(returnUrl ?? `/authentications/${encodeURIComponent(id)}`, 303)
  })
}

const STYLE = `
body { font: 18px system-ui, sans-serif; margin: 4rem auto; max-width: 28rem; padding: 0 1rem }
button { font: inherit; padding: 0.5rem 1.5rem; margin-right: 1rem }`

const QUESTIONS = {
  open: '<form method="post"><button name="outcome" value="yes">Yes</button> <button name="outcome" value="no">No</button></form>',
  approved: '<p>You have confirmed this payment. You can close this page.</p>',
  over: '<p>This payment was not confirmed. You can close this page.</p>',
}

const questionOf = ({ amount, payee }: Challenge): string =>
  `Do you confirm the payment of ${money(amount)}${payee === undefined ? '' : ` to ${escaped(payee)}`}?`

function pageOf(challenge: Challenge | null): string {
  const state = challenge?.state === 'open' || challenge?.state === 'approved' ? challenge.state : 'over'
  const question = challenge ? questionOf(challenge) : ''
  return htmlPage('Development bank', {
    style: STYLE,
    body: `<h1>Development bank</h1>
<p>${question}</p>
${QUESTIONS[state]}`,
  })
}
