import { cents, type Outcome } from '@platter/contracts'
import { expect, test } from 'vitest'
import type { Command } from '#/domain/authorization.ts'
import { retryPayment } from '#/routes/retry-payment.ts'
import type { AuthorizationStore } from '#/store/authorizations.ts'
import { memoryAuthorizations } from '#/testing/memory-authorizations.ts'

const terms = { amount: cents(1075), token: 'tok_1' }

/** Calls the route for an order in a state that `prepare` reaches, whose call `unknown` has an unknown outcome. */
async function retry(
  prepare: (rows: AuthorizationStore) => Promise<unknown>,
  unknown: string | null,
  outcome: Outcome | null = { kind: 'done' },
) {
  const authorizations = memoryAuthorizations()
  await prepare(authorizations)
  const executed: Command[] = []
  const story = { unknown: unknown === null ? null : { call: unknown, reason: 'TimeoutError', since: 1 } }
  const handler = retryPayment({
    authorizations,
    records: { story: async () => story as never },
    execute: async (command) => {
      executed.push(command)
      return outcome
    },
  })
  const response = await handler({ body: { orderApiKey: 'o1' } } as never)
  return { response, executed }
}

const sent = (rows: AuthorizationStore) => rows.findOrCreate('o1', terms)
const challenged = async (rows: AuthorizationStore) =>
  rows.move(await sent(rows), { state: 'challenged', processorId: 'auth_1' })
const authorized = async (rows: AuthorizationStore) =>
  rows.move(await sent(rows), { state: 'authorized', processorId: 'auth_1' })
const released = async (rows: AuthorizationStore) => {
  await authorized(rows)
  return rows.requestRelease('o1')
}

test('repeats an authorization with an unknown outcome, with the amount and card of the row', async () => {
  const { response, executed } = await retry(sent, 'authorize')
  expect(response).toEqual({ found: true, known: true })
  expect(executed).toEqual([{ kind: 'authorize', ...terms }])
})

test('repeats the check of a challenge with an unknown outcome', async () => {
  const { response, executed } = await retry(challenged, 'check', null)
  expect(response).toEqual({ found: true, known: false })
  expect(executed).toEqual([{ kind: 'authorize', ...terms }])
})

test('repeats a capture only when the capture has the unknown outcome', async () => {
  expect((await retry(authorized, 'capture')).executed).toEqual([{ kind: 'capture', amount: terms.amount }])
  expect(await retry(authorized, 'authorize')).toEqual({
    response: { found: true, known: true },
    executed: [],
  })
})

test('repeats the release, and not the capture, after a release was requested', async () => {
  expect((await retry(released, 'capture')).executed).toEqual([{ kind: 'release' }])
})

test('reports an outcome that stays unknown', async () => {
  expect((await retry(sent, 'authorize', null)).response).toEqual({ found: true, known: false })
})

test.each([
  ['without an unknown outcome', sent, null],
  ['without a row', async () => undefined, 'authorize'],
] as const)('executes no command for an order %s', async (_, prepare, unknown) => {
  expect(await retry(prepare, unknown)).toEqual({ response: { found: false, known: false }, executed: [] })
})
