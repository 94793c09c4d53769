import type { Operation } from '@platter/contracts'
import type { z } from 'zod'
import { Rendered, responseRenderer, type Call } from '#/http/router.ts'
import { claimKey, findResponse, storeResponse } from '#/idempotency/key-store.ts'
import { inFlight, isSameRequest, mismatch } from '#/idempotency/scope.ts'
import type { Db } from '#/postgres/postgres.ts'

/** Converts the stored response to the client's response. They differ if the response has a value that must not be stored. */
type Reveal<O extends Operation> = (body: string, call: Call<O>) => string

/** The database of the work and the key: one for all calls, or the tenant-scoped connection of a call. */
type Where<O extends Operation> = Db | ((call: Call<O>) => Db)

/**
 * Executes a POST at most once for each Idempotency-Key (docs/interface.md). The service needs the table `idempotency_keys`.
 *
 * - `execute(call, (trx) => …)` does the work and stores its response under the key in one transaction. A problem rolls both
 *   back, so a corrected request may use the key again.
 * - `replay(call)` returns the response that is stored under the key, or null. Only routes with work outside that transaction (a
 *   password hash, a card token, a message) call it first, so that a retry does not repeat that work. A crash before `execute`
 *   stores no key, so that work must be safe to repeat.
 * - `executeRepeatable(call, () => …)` is for work that only commits elsewhere. It replays the stored response, or does the work
 *   and stores its response.
 *
 * All three replay with `Idempotent-Replayed: true`, and throw Problem idempotency-mismatch for the key of another request.
 */
export function idempotent<const O extends Operation>(
  where: Where<O>,
  operation: O,
  reveal: Reveal<O> = (body) => body,
) {
  const render = responseRenderer(operation)
  const dbFor = typeof where === 'function' ? where : () => where

  async function replay(call: Call<O>): Promise<Rendered | null> {
    if (!call.idempotency) return null
    const found = await findResponse(dbFor(call), call.idempotency)
    if (!found) return null
    if (!isSameRequest(found.fingerprint, call.idempotency)) throw mismatch()
    call.setHeader('idempotent-replayed', 'true')
    return new Rendered(reveal(found.body, call), found.status)
  }

  async function execute(
    call: Call<O>,
    work: (trx: Db) => Promise<z.input<O['response']>>,
  ): Promise<Rendered> {
    const { idempotency: scope } = call
    const body = await dbFor(call)
      .transaction()
      .execute(async (trx) => {
        if (scope && !(await claimKey(trx, scope))) return null
        const response = render(await work(trx))
        if (scope) await storeResponse(trx, scope, response)
        return response
      })
    if (body !== null) return new Rendered(reveal(body, call))
    const replayed = await replay(call)
    // The key became seven days old and was deleted between the two statements.
    if (!replayed) throw inFlight()
    return replayed
  }

  async function executeRepeatable(
    call: Call<O>,
    work: () => Promise<z.input<O['response']>>,
  ): Promise<Rendered> {
    const replayed = await replay(call)
    if (replayed) return replayed
    const response = await work()
    return execute(call, async () => response)
  }

  return { replay, execute, executeRepeatable }
}
