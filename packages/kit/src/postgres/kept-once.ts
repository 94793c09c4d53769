import type { Operation } from '@platter/contracts'
import type { Kysely, Transaction } from 'kysely'
import type { z } from 'zod'
import { Rendered, responseRenderer, type Call } from '#/http/http.ts'
import * as idempotencyKeys from '#/postgres/idempotency-keys.ts'
import { inFlight, isSameRequest, mismatch } from '#/http/idempotency.ts'

/** Makes what the client gets of what is kept; the same for both unless the answer has something that must not be stored. */
type Reveal<O extends Operation> = (body: string, call: Call<O>) => string

/** Where the work is done and its answer kept; for what a client application asks, as that application. */
type Where<DB, O extends Operation> = Kysely<DB> | ((call: Call<O>) => Kysely<DB>)

/**
 * How a service does a POST once, however often it is sent with one Idempotency-Key (docs/interface.md). The service has
 * the table `idempotency_keys` (its migrations).
 *
 * - `once(call, (trx) => …)` does the work and keeps its answer under the key in one transaction. A refusal
 *   rolls both back and keeps nothing, so the mended request may use the key again.
 * - `kept(call)` is the answer that the key has already, or null. Only routes that do something outside that
 *   transaction first (a password's hash, a card's token, a message) have to ask, so that a replay does not do it
 *   again. What they do there has to be harmless when it is done twice: a crash before `once` keeps no key.
 *
 * Both replay with `Idempotent-Replayed: true`, and throw Problem idempotency-mismatch for a key that came
 * with another request.
 */
export function keptOnce<DB, const O extends Operation>(
  where: Where<DB, O>,
  operation: O,
  reveal: Reveal<O> = (body) => body,
) {
  const render = responseRenderer(operation)
  const dbFor = typeof where === 'function' ? where : () => where

  async function kept(call: Call<O>): Promise<Rendered | null> {
    if (!call.idempotency) return null
    const found = await idempotencyKeys.find(dbFor(call), call.idempotency)
    if (!found) return null
    if (!isSameRequest(found.fingerprint, call.idempotency)) throw mismatch()
    call.setHeader('idempotent-replayed', 'true')
    return new Rendered(reveal(found.body, call), found.status)
  }

  async function once(
    call: Call<O>,
    work: (trx: Transaction<DB>) => Promise<z.input<O['response']>>,
  ): Promise<Rendered> {
    const { idempotency: scope } = call
    const body = await dbFor(call)
      .transaction()
      .execute(async (trx) => {
        if (scope && !(await idempotencyKeys.claim(trx, scope))) return null
        const answer = render(await work(trx))
        if (scope) await idempotencyKeys.keep(trx, scope, answer)
        return answer
      })
    if (body !== null) return new Rendered(reveal(body, call))
    const replayed = await kept(call)
    // It had its answer a moment ago, and grew seven days old since.
    if (!replayed) throw inFlight()
    return replayed
  }

  return { kept, once }
}
