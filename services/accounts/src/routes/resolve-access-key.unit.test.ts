import { createHash } from 'node:crypto'
import type { Log } from '@platter/kit'
import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import { resolveAccessKey } from '#/routes/resolve-access-key.ts'

const hash = createHash('sha256').update('a key').digest('hex')
const principal = { kind: 'operator', accessKeyId: 'k1' } as const

/** Resolves the hash in a store that has one key; `recordUse` is the write of its last use. */
async function resolve(
  { isUseOutdated }: { isUseOutdated: boolean },
  recordUse: (id: string) => Promise<void>,
  requested = hash,
) {
  let logged = ''
  const sink = { write: (line: string) => void (logged += line) }
  const log: Log = pino({}, sink)
  const store = {
    find: async (one: string) => (one === hash ? { id: 'k1', principal, isUseOutdated } : undefined),
    recordUse,
  }
  const handler = resolveAccessKey({ db: {} as never, accessKeys: () => store, log })
  const response = await handler({ body: { hash: requested }, requestId: 'r1' } as never)
  return { response, logged: () => logged }
}

test('returns the principal before its use is recorded', async () => {
  const recordUse = vi.fn<(id: string) => Promise<void>>(() => new Promise(() => {}))
  const { response } = await resolve({ isUseOutdated: true }, recordUse)
  expect(response).toEqual({ principal })
  expect(recordUse.mock.calls).toEqual([['k1']])
})

test('records no use while the recorded one is recent', async () => {
  const recordUse = vi.fn<(id: string) => Promise<void>>(async () => {})
  expect((await resolve({ isUseOutdated: false }, recordUse)).response).toEqual({ principal })
  expect(recordUse).not.toHaveBeenCalled()
})

test('a use that cannot be recorded is logged with the request id, without the hash', async () => {
  const { response, logged } = await resolve({ isUseOutdated: true }, async () => {
    throw new Error('no connection')
  })
  expect(response).toEqual({ principal })
  await vi.waitFor(() => expect(logged()).toContain('no connection'))
  expect(logged()).toContain('"requestId":"r1"')
  expect(logged()).not.toContain(hash)
})

test('the principal of an unknown key is null', async () => {
  const recordUse = vi.fn<(id: string) => Promise<void>>(async () => {})
  expect((await resolve({ isUseOutdated: true }, recordUse, '0'.repeat(64))).response).toEqual({
    principal: null,
  })
  expect(recordUse).not.toHaveBeenCalled()
})
