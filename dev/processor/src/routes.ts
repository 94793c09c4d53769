import { createHash } from 'node:crypto'
import type { App } from '@platter/kit'
import { z } from 'zod'
import { answerOf, type Answer, type Asked, type Book } from './book.ts'
import { tokenize } from './cards.ts'
import { FaultPlan, type Faults, type Kind } from './faults.ts'
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
const Time = z.object({
  from: z.coerce.number().int(),
  to: z.coerce.number().int(),
  after: z.coerce.number().int(),
})

type Request = { params: unknown; query: unknown; body: unknown; headers: Record<string, unknown> }

/** The names of what is wrong, never the values: one of them may be a card number. */
const invalid = (error: z.ZodError): Answer => ({
  status: 400,
  body: { code: 'invalid_request', fields: error.issues.map(({ path }) => path.map(String).join('.')) },
})

type Parts = { book: Book; ledger: Ledger; faults: Faults }

export function addRoutes(app: App, { book, ledger, faults }: Parts): void {
  const route = faultyRoutes(app, faults)
  const once = createOnce(book, ledger)
  const effect =
    <S extends z.ZodType>(schema: S, toAsked: ToAsked<z.output<S>>) =>
    async (request: Request): Promise<Answer> => {
      const read = readRequest(request, schema, toAsked)
      return read.asked ? once(read.asked) : read.answer
    }
  route('tokenize', 'POST /tokens', async ({ body }) => tokenOf(body))
  route('find', 'GET /authorizations', async ({ query }) => search(query, book, ledger))
  route(
    'authorize',
    'POST /authorizations',
    effect(NewAuthorization, (body) => ({ kind: 'authorize', ...body })),
  )
  route(
    'capture',
    'POST /authorizations/:id/capture',
    effect(Amount, (body, id) => ({ kind: 'capture', id, ...body })),
  )
  route(
    'refund',
    'POST /authorizations/:id/refund',
    effect(Amount, (body, id) => ({ kind: 'refund', id, ...body })),
  )
  route(
    'void',
    'POST /authorizations/:id/void',
    effect(z.unknown(), (_body, id) => ({ kind: 'void', id })),
  )
  addFaults(app, faults)
}

/** Declares routes on whose way faults may lie. Null for an answer cuts the connection, as a crash would. */
function faultyRoutes(app: App, faults: Faults) {
  return function route(
    kind: Kind,
    path: `${'GET' | 'POST'} ${string}`,
    work: (request: Request) => Promise<Answer>,
  ) {
    const [method = '', url = ''] = path.split(' ')
    app.route({
      method,
      url,
      async handler(request, reply) {
        const answer = await faults.strike(kind, () => work(request))
        if (answer) {
          if (answer.status === 429) void reply.header('retry-after', 1)
          return reply.code(answer.status).send(answer.body)
        }
        reply.hijack()
        request.raw.socket.resetAndDestroy()
        return reply
      },
    })
  }
}

/** Does each request once: one line under its key, on the disk before the answer is given. */
function createOnce(book: Book, ledger: Ledger) {
  const running = new Map<string, string>()
  return async function once(asked: Asked): Promise<Answer> {
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
function tokenOf(body: unknown): Answer {
  const card = NewToken.safeParse(body)
  if (!card.success) return invalid(card.error)
  const made = tokenize(card.data.cardNumber)
  if (made) return { status: 200, body: made }
  return { status: 402, body: { code: 'card_declined', declineCode: 'invalid_number' } }
}

/** Those of a reference, or those of a time. */
async function search(query: unknown, book: Book, ledger: Ledger): Promise<Answer> {
  const time = Time.safeParse(query)
  if (time.success) {
    const { page, after } = book.list(time.data)
    await ledger.settled()
    return { status: 200, body: { authorizations: page, after: after === null ? null : String(after) } }
  }
  const asked = Search.safeParse(query)
  if (!asked.success) return invalid(asked.error)
  const authorizations = book.find(asked.data.reference)
  await ledger.settled()
  return { status: 200, body: { authorizations } }
}

/** Switches faults at run time. Nothing of it is kept: a restart begins with the environment's FAULTS again. */
function addFaults(app: App, faults: Faults): void {
  app.get('/faults', async () => faults.state)
  app.put('/faults', async ({ body }, reply) => {
    const plan = FaultPlan.safeParse(body)
    if (!plan.success) return reply.code(400).send(invalid(plan.error).body)
    faults.set(plan.data)
    return faults.state
  })
  app.delete('/faults', async () => {
    faults.clear()
    return faults.state
  })
}
