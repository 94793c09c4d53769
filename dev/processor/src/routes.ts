import { createHash } from 'node:crypto'
import type { App } from '@platter/kit'
import { z } from 'zod'
import { addBank } from './bank.ts'
import type { Book } from './book.ts'
import type { EffectRequest, Response, WithoutIdentity } from './effects.ts'
import { invalid, responseTo } from './responses.ts'
import { behaviourOf, exchange, tokenize } from './cards.ts'
import type { SavedCards } from './saved-cards.ts'
import type { Challenge } from './challenges.ts'
import { addClientTokens } from './client-tokens.ts'
import { addDashboard } from './dashboard.ts'
import type { Events } from './events.ts'
import { FaultPlan, type Faults, type Kind } from './faults.ts'
import type { Ledger } from './ledger.ts'

const Cents = z.int().min(0)
const NewToken = z.object({
  cardNumber: z.string(),
  cvv: z.string(),
  expirationMonth: z.string(),
  expirationYear: z.string(),
})
const Reference = z.object({ reference: z.string() })
const SavedToken = z.object({ token: z.string() })
const Exchange = z.object({ processorToken: z.string() })
const NewAuthorization = z.object({
  token: z.string(),
  amount: Cents,
  reference: z.string().min(1),
  authentication: z.object({ returnUrl: z.string().nullable() }).optional(),
  statementSuffix: z.string().min(1).max(22).optional(),
})
const Amount = z.object({ amount: Cents })
const Key = z.string().min(1).max(255)
const Id = z.object({ id: z.string() })
const Search = z.object({ reference: z.string().min(1) })
const Time = z.object({
  from: z.coerce.number().int(),
  to: z.coerce.number().int(),
  after: z.coerce.number().int().min(0),
})

type Request = { params: unknown; query: unknown; body: unknown; headers: Record<string, unknown> }

type Parts = {
  book: Book
  cards: SavedCards
  ledger: Ledger
  faults: Faults
  events: Events
  now: () => Date
}

export function addRoutes(app: App, parts: Parts): void {
  const { book, cards, ledger, faults, events, now } = parts
  const route = faultyRoutes(app, faults)
  const once = createOnce(parts)
  const effect = effectsBy(once)
  route('tokenize', 'POST /tokens', async ({ body }) => tokenOf(body))
  route('detach', 'POST /tokens/detach', async ({ body }) => detach(body, { cards, now }))
  route('find', 'GET /tokens/:id', async ({ params }) => cardOf(params, cards))
  route('find', 'GET /authorizations', async ({ query }) => find(query, book, ledger))
  route('find', 'GET /authorizations/:id', async ({ params }) => detailsOf(params, parts))
  route('find', 'GET /balance-transactions', async ({ query }) => balanceTransactions(query, book, ledger))
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
  addClientTokens(app)
  addFaults(app, faults)
  addDashboard(app, {
    book,
    once,
    async replaceCard(replacement) {
      await cards.replace(replacement, now())
      events.cardReplaced(replacement.token)
    },
  })
  addBank(app, { book, once, now })
}

/** Declares routes with fault injection. A null response closes the connection, as a crash would. */
function faultyRoutes(app: App, faults: Faults) {
  return function route(
    kind: Kind,
    path: `${'GET' | 'POST'} ${string}`,
    work: (request: Request) => Promise<Response>,
  ) {
    const [method = '', url = ''] = path.split(' ')
    app.route({
      method,
      url,
      async handler(request, reply) {
        const { data: about } = Reference.safeParse(request.body)
        const response = await faults.strike(kind, () => work(request), about?.reference)
        if (response) {
          if (response.status === 429) void reply.header('retry-after', 1)
          return reply.code(response.status).send(response.body)
        }
        reply.hijack()
        request.raw.socket.resetAndDestroy()
        return reply
      },
    })
  }
}

/** Executes each request once: one line under its key is on the disk before the response. */
function createOnce({ book, ledger, events, now }: Parts) {
  const running = new Map<string, string>()
  return async function once(request: EffectRequest): Promise<Response> {
    const before = running.get(request.idempotencyKey)
    if (before === request.fingerprint) return { status: 409, body: { code: 'idempotency_in_progress' } }
    if (before !== undefined) return { status: 422, body: { code: 'idempotency_mismatch' } }
    running.set(request.idempotencyKey, request.fingerprint)
    try {
      const decision = book.decide(request, now())
      if (decision.kind === 'effect') {
        // Both lines share a write.
        await Promise.all([ledger.append(decision.entry), decision.also && ledger.append(decision.also)])
        events.publish(decision.entry)
      }
      // A refusal may depend on effects that are not on the disk yet.
      else await ledger.settled()
      return decision.kind === 'effect' ? responseTo(decision.entry) : decision.response
    } finally {
      running.delete(request.idempotencyKey)
    }
  }
}

type ToRequest<B> = (body: B, id: string) => WithoutIdentity<EffectRequest>

/** Returns the function that makes the handlers of requests with an effect. */
const effectsBy =
  (once: (request: EffectRequest) => Promise<Response>) =>
  <S extends z.ZodType>(schema: S, toRequest: ToRequest<z.output<S>>) =>
  async ({ headers, params, body }: Request): Promise<Response> => {
    const key = Key.safeParse(headers['idempotency-key'])
    if (!key.success) return { status: 400, body: { code: 'idempotency_key_missing' } }
    const parsed = schema.safeParse(body)
    if (!parsed.success) return invalid(parsed.error)
    const what = toRequest(parsed.data, Id.safeParse(params).data?.id ?? '')
    const fingerprint = createHash('sha256').update(JSON.stringify(what)).digest('hex')
    return once({ ...what, idempotencyKey: key.data, fingerprint })
  }

/** Card numbers end here: they are neither stored nor logged, and an error names fields only. */
function tokenOf(body: unknown): Response {
  const exchanged = Exchange.safeParse(body)
  if (exchanged.success) {
    const made = exchange(exchanged.data.processorToken)
    return made ? { status: 200, body: made } : { status: 400, body: { code: 'no_such_token' } }
  }
  const card = NewToken.safeParse(body)
  if (!card.success) return invalid(card.error)
  const made = tokenize(card.data.cardNumber)
  if (made) return { status: 200, body: made }
  return { status: 402, body: { code: 'card_declined', declineCode: 'invalid_number' } }
}

/** Detaches a card, which can no longer be authorized. Its existing authorizations are not affected. */
async function detach(body: unknown, { cards, now }: Pick<Parts, 'cards' | 'now'>): Promise<Response> {
  const saved = SavedToken.safeParse(body)
  if (!saved.success) return invalid(saved.error)
  const { token } = saved.data
  if (behaviourOf(token) === null) return { status: 400, body: { code: 'no_such_token' } }
  await cards.detach(token, now())
  return { status: 200, body: { detached: true } }
}

/** Returns a card that its bank has replaced. */
function cardOf(params: unknown, cards: SavedCards): Response {
  const found = cards.find(Id.parse(params).id)
  return found ? { status: 200, body: found } : { status: 404, body: { code: 'no_such_token' } }
}

const cursorOf = (after: number | null) => (after === null ? null : String(after))

/** Returns the charges of a reference, or those of a period. */
async function find(query: unknown, book: Book, ledger: Ledger): Promise<Response> {
  const time = Time.safeParse(query)
  if (time.success) {
    const { page, after } = book.list(time.data)
    await ledger.settled()
    return { status: 200, body: { authorizations: page, after: cursorOf(after) } }
  }
  const search = Search.safeParse(query)
  if (!search.success) return invalid(search.error)
  const authorizations = book.find(search.data.reference)
  await ledger.settled()
  return { status: 200, body: { authorizations } }
}

/** Returns an authorization with its refunds and disputes. */
async function detailsOf(params: unknown, { book, ledger, now }: Parts): Promise<Response> {
  const { id } = Id.parse(params)
  const details = book.details(id) ?? openOf(book.challenge(id, now()))
  await ledger.settled()
  return details ? { status: 200, body: details } : { status: 404, body: { code: 'no_such_authorization' } }
}

/** Returns an authentication, as long as nothing is authorized. */
function openOf(challenge: Challenge | null): Response['body'] | null {
  if (!challenge) return null
  const { id, reference, amount, state } = challenge
  const status = state === 'open' ? 'requires_action' : 'declined'
  return { id, reference, amount, status, declineCode: 'authentication_required', refunds: [], disputes: [] }
}

/** Returns the balance transactions in a period. */
async function balanceTransactions(query: unknown, book: Book, ledger: Ledger): Promise<Response> {
  const time = Time.safeParse(query)
  if (!time.success) return invalid(time.error)
  const { page, after } = book.balanceTransactions(time.data)
  await ledger.settled()
  return { status: 200, body: { balanceTransactions: page, after: cursorOf(after) } }
}

/** Changes the faults at run time, until a restart, which begins with FAULTS of the environment. */
function addFaults(app: App, faults: Faults): void {
  app.get('/faults', async () => faults.state)
  app.put('/faults', async ({ body }, reply) => {
    const plan = FaultPlan.safeParse(body)
    if (!plan.success) return reply.code(400).send(invalid(plan.error).body)
    faults.set(plan.data)
    return faults.state
  })
}
