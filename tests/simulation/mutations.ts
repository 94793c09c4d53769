import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { run } from './run.ts'

/**
 * A change of the text of a source file, which the simulation must find. The search begins at `seed`, the first seed that found the
 * bug after its planting.
 */
export type Mutation = { name: string; seed: number; file: string; from: string; to: string }

/** A bug in a store in memory represents a condition of an SQL statement. */
const DIFF = `
--- tests/simulation/stores-of-orders.ts
@@ the version is not checked when a saga is saved, seed 169
- || row.saga.version !== from.version
+
@@ two requests with one key are both accepted, seed 18
-if (keys.has(key))
+if (keys.size < 0)
@@ an expired lease is not acquired by another replica, seed 2
-isDeliveryDue(row) && orders
+isDeliveryDue(row) && deliveries.size < 0 && orders

--- services/orders/src/placing/repeated-request.ts
@@ a refusal denies the order of a concurrent request with its key, seed 270398
-const isRefusal = error instanceof Problem && error.status < 500
+const isRefusal = false

--- services/payments/src/domain/processor-result.ts
@@ an unknown outcome counts as a declined card, seed 15
-  if (result.kind === 'unknown') return result
-  if (result.kind === 'challenge') return challenged(result)
+  if (result.kind === 'unknown' && call !== 'authorize') return result
+  if (result.kind === 'unknown') result = { kind: 'no', code: '', declineCode: '' }
+  if (result.kind === 'challenge') return challenged(result)

--- services/orders/src/saga/domain/transition.ts
@@ an authorization whose outcome is unknown is not compensated, seed 6
-state: { ...saga.state, done, refusal: refusalOfExpiry(saga.state) }
+state: { ...saga.state, refusal: refusalOfExpiry(saga.state) }
@@ an expired saga is failed after the pivot, seed 55
-awaited?.step.kind !== 'compensatable' || awaited.isCompensation
+!awaited || awaited.isCompensation
@@ a finished saga is not reopened when its order is cancelled, seed 40
-    { ...saga, isFinished: false },
+    saga,
@@ an order that its restaurant refused is captured, seed 1
-result.outcome === 'accepted'
+result.outcome !== 'unreachable'
@@ a finished saga is not reopened for a refund, seed 9
-saga.isFinished && !state.refunds?.length
+saga.isFinished
@@ a cancellation of a pending order does not compensate the awaited step, seed 938
-step?.kind === 'compensatable' ? [...state.done, step.name] : state.done
+state.done
@@ the action of a payment stays after its challenge, seed 3
-{ ...order, paymentAction: null }
+order

--- services/payments/src/domain/authorization.ts
@@ a repeated authorization has a new idempotency key, seed 18
-:authorize:1
+:authorize:\${Math.random()}
@@ a release does not query the outcome of an unknown authorization, seed 30
-if (row.state === 'sent') return authorizeOrFind(row)
+if (row.state === 'sent') return null
@@ a late capture refunds the rest while a refund of a part is in progress, seed 306939
-if (command.kind !== 'release' && row.state === 'captured' && refundedOf(row) > 0)
+if (row.ageSeconds < 0)
@@ a release refunds the total after a refund of a part, seed 86
-cents(row.amount - refundedOf(row))
+row.amount
@@ a challenged authorization is sent again under another key, seed 3
-call: { kind: 'check', id, authentication } }
+call: { ...authorizeOrFind({ ...row, state: 'sent' }), idempotencyKey: String(Math.random()) } as Call }
@@ a release does not void a challenge, seed 236
-if (row.state === 'authorized' || row.state === 'challenged')
+if (row.state === 'authorized')

--- services/orders/src/delivery/notify-cancellation.ts
@@ a restaurant is not notified of the cancellation of an order, seed 18
-await cancel(to, sent)
+null

--- services/orders/src/placing/respond-with-result.ts
@@ an order that was returned as pending is not marked, seed 41480
-    await deps.orders.markReturnedIfPending(apiKey)
+
@@ an order whose client receives a 503 is marked as returned, seed 528261
-  if (!last.order) throw outcomeUnknown()
+  void orders.markReturned(apiKey).catch(() => undefined)
+      if (!last.order) throw outcomeUnknown()
@@ an order that waits for its customer is not marked as returned, seed 372
-? pendingResult(deps, apiKey) : null
+? result : null

--- services/orders/src/delivery/deliverer.ts
@@ the webhook-id changes with each attempt, seed 18
-order_\${order.apiKey}
+order_\${order.apiKey}_\${lease.attempt}

--- services/payments/src/testing/memory-authorizations.ts
@@ a repeated authorization replaces the first one, seed 147
-find(orderApiKey) ??
-      put({
+put({

--- services/orders/src/saga/domain/failure.ts
@@ an order that was returned as pending fails without a cancellation, seed 2
-    cancellation: order.cancellation ?? (state.refusal && cancellationOf(facts, state.refusal, at)),
+
@@ a refund is shown as a voided authorization, seed 40
-UNPAID.includes(order.paymentState) ? 'VOIDED' : order.paymentState
+'VOIDED'

--- services/payments/src/refund-executor.ts
@@ a repeated refund has a new idempotency key, seed 9
-idempotencyKey: apiKey,
+idempotencyKey: apiKey + Math.random(),

--- services/payments/src/domain/refund.ts
@@ an unknown outcome counts as a failed refund, seed 454
-if (result.kind === 'unknown') return result
+if (result.kind === 'unknown') return { kind: 'failed', code: '' }
@@ a refund that is pending at the processor is not looked up, seed 9
-processorId !== null || ageSeconds
+ageSeconds

--- services/payments/src/handlers/release.ts
@@ a release does not wait for refunds that have begun, seed 606
-if ((await executeRefund(sent, row)) === 'sent') return null
+await executeRefund(sent, row)

--- tests/simulation/stores-of-payments.ts
@@ a repeated refund command reserves its amount again, seed 1214
-      if (known) return known
+

--- services/orders/src/saga/request-refund.ts
@@ a repeated request with one Idempotency-Key is another refund, seed 28
-idempotency ? keyOfRequest(idempotency) : newApiKey()
+newApiKey()

--- services/orders/src/saga/domain/refunding.ts
@@ two refunds are saved onto one list, seed 1434
-order.refunds.length !== count
+false
@@ a refund that fails after a cancellation is not shown with it, seed 86
-if (cancellation !== null) {
+if (cancellation !== null && total < 0) {

--- services/orders/src/saga/handlers/saga-reply.ts
@@ an order is not checked again after its challenge, seed 27
-await recheck(orderApiKey, requestId)
+null

--- services/orders/src/saga/domain/challenging.ts
@@ a challenge is never polled, seed 3
-const POLL_MS = 10_000
+const POLL_MS = 10_000_000
`

function parse(diff: string): Mutation[] {
  const [, ...files] = diff.split(/^--- /m)
  return files.flatMap((part) => {
    const [file = '', ...bugs] = part.split(/^@@ /m)
    return bugs.map((bug) => {
      const [title = '', ...lines] = bug.trimEnd().split('\n')
      const [name = '', seed] = title.split(', seed ')
      const text = (sign: '-' | '+') =>
        lines
          .filter((line) => line.startsWith(sign))
          .map((line) => line.slice(1))
          .join('\n')
      return { name, seed: Number(seed), file: file.trim(), from: text('-'), to: text('+') }
    })
  })
}

export const MUTATIONS: readonly Mutation[] = parse(DIFF)

const REPOSITORY = new URL('../../', import.meta.url)
/** Modules that may import a planted bug. */
const RELOADED = /^(services|tests\/simulation)\//

/** The importers of each module, by their URLs. */
const importers = new Map<string, Set<string>>()

/** Imports `run` without a bug, and stores which module imports which. No other module may have imported it. */
async function importUnchanged(): Promise<void> {
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context)
      if (RELOADED.test(resolved.url.slice(REPOSITORY.href.length)))
        importers.set(resolved.url, (importers.get(resolved.url) ?? new Set()).add(context.parentURL ?? ''))
      return resolved
    },
  })
  await import('./run.ts')
  hooks.deregister()
}

/** Returns a module, and all that import it, directly or through others. */
function withImporters(url: string): Set<string> {
  const found = new Set([url])
  for (const one of found) for (const importer of importers.get(one) ?? []) found.add(importer)
  return found
}

const withoutQuery = (url: string) => url.replace(/\?.*/, '')
const queryOf = ({ name }: Mutation) => `?planted=${encodeURIComponent(name)}`

/**
 * Imports `run` with a planted bug. One process tries all bugs: the start of a process takes 0.7 s of CPU. Only the module with the bug
 * and its importers are loaded again. A module that is shared by the runs of one bug can also be shared by all bugs.
 */
export async function importMutated(mutation: Mutation): Promise<typeof run> {
  if (importers.size === 0) await importUnchanged()
  const hooks = plant(mutation)
  const loaded = (await import(`./run.ts${queryOf(mutation)}`)) as { run: typeof run }
  hooks.deregister()
  return loaded.run
}

/** Throws unless the file has the text exactly once. */
function plant(mutation: Mutation) {
  const { file, from, to } = mutation
  const planted = new URL(file, REPOSITORY)
  const text = readFileSync(fileURLToPath(planted), 'utf8')
  if (text.split(from).length !== 2) throw new Error(`${file} does not have exactly one: ${from}`)
  const reloaded = withImporters(planted.href)
  return registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context)
      const url = withoutQuery(resolved.url)
      return reloaded.has(url) ? { ...resolved, url: url + queryOf(mutation) } : resolved
    },
    load(url, context, next) {
      const loaded = next(url, context)
      const isPlanted = withoutQuery(url) === planted.href
      return isPlanted ? { ...loaded, source: text.replace(from, () => to) } : loaded
    },
  })
}
