import { createHash } from 'node:crypto'
import type { App } from '@platter/kit'
import { z } from 'zod'
import { answerOf, type Answer, type Asked, type Book } from './book.ts'
import { tokenize } from './cards.ts'
import type { Ledger } from './ledger.ts'

const Cents = z.int().min(0)
const NewToken = z.object({
  cardNumber: z.string(),
  cvv: z.string(),
  expirationMonth: z.string(),
  expirationYear: z.string(),
})
const NewAuthorization = z.object({ token: z.string(), amount: Cents, reference: z.string().min(1) })
const Amount = z.object({ amount: Cents })
const Key = z.string().min(1).max(255)
const Id = z.object({ id: z.string() })
const Search = z.object({ reference: z.string().min(1) })

type Request = { params: unknown; body: unknown; headers: Record<string, unknown> }

/** The names of what is wrong, never the values: one of them may be a card number. */
const invalid = (error: z.ZodError): Answer => ({
  status: 400,
  body: { code: 'invalid_request', fields: error.issues.map(({ path }) => path.map(String).join('.')) },
})

export function addRoutes(app: App, book: Book, ledger: Ledger): void {
  const running = new Map<string, string>()

  /** One request under its key: the line is on the disk before the answer is given. */
  async function once(asked: Asked): Promise<Answer> {
    const before = running.get(asked.idempotencyKey)
    if (before === asked.fingerprint) return { status: 409, body: { code: 'idempotency_in_progress' } }
    if (before !== undefined) return { status: 422, body: { code: 'idempotency_mismatch' } }
    running.set(asked.idempotencyKey, asked.fingerprint)
    try {
      const decision = book.decide(asked, new Date())
      if (decision.kind === 'effect') await ledger.append(decision.entry)
      // A refusal rests on effects that may still be on their way to the disk.
      else await ledger.settled()
      return decision.kind === 'effect' ? answerOf(decision.entry) : decision.answer
    } finally {
      running.delete(asked.idempotencyKey)
    }
  }

  addTokens(app)
  addSearch(app, book, ledger)
  const add = <S extends z.ZodType>(path: string, schema: S, toAsked: ToAsked<z.output<S>>) =>
    app.post(path, async (request, reply) => {
      const read = readRequest(request, schema, toAsked)
      const answer = read.asked ? await once(read.asked) : read.answer
      return reply.code(answer.status).send(answer.body)
    })
  add('/authorizations', NewAuthorization, (body) => ({ kind: 'authorize', ...body }))
  add('/authorizations/:id/capture', Amount, (body, id) => ({ kind: 'capture', id, ...body }))
  add('/authorizations/:id/refund', Amount, (body, id) => ({ kind: 'refund', id, ...body }))
  add('/authorizations/:id/void', z.unknown(), (_body, id) => ({ kind: 'void', id }))
}

type WithoutIdentity<A> = A extends unknown ? Omit<A, 'idempotencyKey' | 'fingerprint'> : never
type ToAsked<B> = (body: B, id: string) => WithoutIdentity<Asked>

function readRequest<S extends z.ZodType>(
  { headers, params, body }: Request,
  schema: S,
  toAsked: ToAsked<z.output<S>>,
): { asked: Asked } | { asked: null; answer: Answer } {
  const key = Key.safeParse(headers['idempotency-key'])
  if (!key.success) return { asked: null, answer: { status: 400, body: { code: 'idempotency_key_missing' } } }
  const parsed = schema.safeParse(body)
  if (!parsed.success) return { asked: null, answer: invalid(parsed.error) }
  const what = toAsked(parsed.data, Id.safeParse(params).data?.id ?? '')
  const fingerprint = createHash('sha256').update(JSON.stringify(what)).digest('hex')
  return { asked: { ...what, idempotencyKey: key.data, fingerprint } }
}

/** Card numbers end here: they are neither kept nor logged, and a fault names fields only. */
function addTokens(app: App): void {
  app.post('/tokens', async ({ body }, reply) => {
    const card = NewToken.safeParse(body)
    if (!card.success) {
      const { status, body: faults } = invalid(card.error)
      return reply.code(status).send(faults)
    }
    const made = tokenize(card.data.cardNumber)
    if (made) return reply.send(made)
    return reply.code(402).send({ code: 'card_declined', declineCode: 'invalid_number' })
  })
}

function addSearch(app: App, book: Book, ledger: Ledger): void {
  app.get('/authorizations', async ({ query }, reply) => {
    const search = Search.safeParse(query)
    if (!search.success) return reply.code(400).send(invalid(search.error).body)
    const authorizations = book.find(search.data.reference)
    await ledger.settled()
    return reply.send({ authorizations })
  })
}
